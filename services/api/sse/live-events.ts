import type { StoredEvent } from "#shared/contracts/session-event.ts";
import type { Database } from "#shared/database/database.ts";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import { isContiguous, readEvents } from "#shared/database/read-events.ts";
import type { SseConnection } from "./sse-connections.ts";

export interface LiveEventsOptions {
  readonly db: Database;
  readonly connection: SseConnection;
  /** The client already has the events up to this one. */
  readonly afterSeq: number;
  /** The last event that is wanted, or that a session has which is over; undefined while it runs. */
  readonly lastSeq: number | undefined;
  readonly heartbeatMs: number;
}

/** Bounds the memory of a connection: it holds one page, or one event if that is larger. */
const PAGE = { limit: 100, maxBytes: 64 * 1024 };
export const RETRY_MS = 1_000;

/**
 * Yields a session's events, history and then live ones, each exactly once and in order; `caught_up` before it waits for the next one,
 * and `waiting` after `heartbeatMs` without one, and when there is live text. Pages are read from Postgres only as fast as the client
 * reads; while Postgres is unavailable or too slow the read is retried. Ends with the connection, after `lastSeq`, or when the events are
 * purged. Throws other database errors.
 */
export async function* liveEvents({
  db,
  connection,
  lastSeq = Infinity,
  heartbeatMs,
  ...options
}: LiveEventsOptions): AsyncGenerator<StoredEvent | "caught_up" | "waiting", void, undefined> {
  let { afterSeq } = options;
  while (!connection.signal.aborted && afterSeq < lastSeq) {
    const { newestSeq } = connection;
    if (newestSeq <= afterSeq) {
      yield "caught_up";
      await connection.waitForEventAfter(afterSeq, heartbeatMs);
      if (connection.newestSeq <= afterSeq) yield "waiting";
      continue;
    }
    const page = await readPage(db, connection.sessionId, afterSeq, lastSeq);
    if (page === "unavailable") {
      await connection.waitForEventAfter(Infinity, RETRY_MS);
      yield "waiting";
      continue;
    }
    // Events of a session that ended long ago are purged: the client's next request is refused with the reason.
    const isPurged = page.length === 0 ? lastSeq !== Infinity : !isContiguous(page, afterSeq, lastSeq);
    if (isPurged) return;
    if (page.length === 0) connection.retract(newestSeq, afterSeq);
    for (const event of page) {
      if (connection.signal.aborted) return;
      yield event;
      afterSeq = event.seq;
    }
  }
}

async function readPage(
  db: Database,
  sessionId: string,
  afterSeq: number,
  lastSeq: number,
): Promise<readonly StoredEvent[] | "unavailable"> {
  try {
    return await readEvents(db, sessionId, {
      afterSeq,
      ...(lastSeq === Infinity ? {} : { throughSeq: lastSeq }),
      ...PAGE,
    });
  } catch (error) {
    if (!isDatabaseRetryable(error)) throw error;
    return "unavailable";
  }
}
