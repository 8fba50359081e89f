import type { StoredEvent } from "#shared/contracts/session-event.ts";
import { wireEvent } from "#shared/contracts/wire-event.ts";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import { isContiguous, readEvents } from "#shared/database/read-events.ts";
import type { SseConnection } from "./sse-connections.ts";
import type { Database } from "#shared/database/database.ts";

interface SseStreamOptions {
  readonly db: Database;
  readonly connection: SseConnection;
  /** The client already has the events up to this one. */
  readonly afterSeq: number;
  /** The last event that is wanted, or that a session has which is over; undefined while it runs. */
  readonly lastSeq: number | undefined;
  /** The stream goes on after the session's end, with the events of what follows. */
  readonly followsAll: boolean;
  readonly heartbeatMs: number;
}

/** Bounds the memory of a connection: it holds one page, or one event if that is larger. */
const PAGE = { limit: 100, maxBytes: 64 * 1024 };
const RETRY_MS = 1_000;

/** The field `retry` tells browsers how long to wait before they reconnect. */
const PREAMBLE = `retry: ${RETRY_MS}\n\n`;
const HEARTBEAT = ": still here\n\n";

/**
 * Yields a session's events as Server-Sent Events: history, then live events, each exactly once and in order, and a
 * comment after `heartbeatMs` without an event. Pages are read from Postgres only as fast as the client reads; while
 * Postgres is unavailable or too slow the read is retried. Ends, unless it follows all, when the session ends, or after the last event that a session
 * that was over had; with the connection; or when the events are purged. Throws other database errors.
 */
export async function* sseStream(options: SseStreamOptions): AsyncGenerator<string, void, undefined> {
  const { db, connection, lastSeq = Infinity, followsAll, heartbeatMs } = options;
  let { afterSeq } = options;
  yield PREAMBLE;
  while (!connection.signal.aborted && afterSeq < lastSeq) {
    const { newestSeq } = connection;
    if (newestSeq <= afterSeq) {
      await connection.waitForEventAfter(afterSeq, heartbeatMs);
      if (connection.newestSeq <= afterSeq) yield HEARTBEAT;
      continue;
    }
    const page = await readPage(db, connection.sessionId, afterSeq, lastSeq);
    if (page === "unavailable") {
      await connection.waitForEventAfter(Infinity, RETRY_MS);
      yield HEARTBEAT;
      continue;
    }
    // Events of a session that ended long ago are purged: the client's next request is told so.
    const isPurged = page.length === 0 ? lastSeq !== Infinity : !isContiguous(page, afterSeq, lastSeq);
    if (isPurged) return;
    if (page.length === 0) connection.retract(newestSeq, afterSeq);
    for (const event of page) {
      if (connection.signal.aborted) return;
      yield frame(event);
      afterSeq = event.seq;
      // Of a session that is over, reviews may follow.
      if (event.payload.type === "session.completed" && lastSeq === Infinity && !followsAll) return;
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

function frame(event: StoredEvent): string {
  // JSON.stringify escapes line breaks, so one data line is enough.
  return `id: ${event.seq}\nevent: ${event.payload.type}\ndata: ${JSON.stringify(wireEvent(event))}\n\n`;
}
