import type { DataSource } from "typeorm";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { wireEvent } from "#shared/contracts/wire-event.ts";
import { isDatabaseUnavailable } from "#shared/database/database-unavailable.ts";
import { readEvents } from "#shared/database/read-events.ts";
import type { EventWatch } from "./sse-connections.ts";

export interface StreamEvents {
  readonly db: DataSource;
  readonly watch: EventWatch;
  /** The client has the events up to this one. */
  readonly afterSeq: number;
  /** Of a session that is over: its last event. */
  readonly lastSeq: number | undefined;
  readonly heartbeatMs: number;
}

/** What a stream holds in memory at most: one page, or one event if that is larger. */
const PAGE = { limit: 100, maxBytes: 64 * 1024 };
const RETRY_MS = 1_000;

/** For browsers: how long they wait before they connect again. */
const PREAMBLE = `retry: ${RETRY_MS}\n\n`;
const HEARTBEAT = ": still here\n\n";

/**
 * A session's events as Server-Sent Events, history first and then live, each exactly once and in order; a comment
 * when nothing else was sent for `heartbeatMs`. Everything is read from Postgres, and only when the reader has taken
 * what came before. Ends with the session's last event or the watch; throws what the database answers, unless it is
 * merely away.
 */
export async function* streamEvents(stream: StreamEvents): AsyncGenerator<string, void, undefined> {
  const { db, watch, lastSeq = Infinity, heartbeatMs } = stream;
  let { afterSeq } = stream;
  yield PREAMBLE;
  while (!watch.signal.aborted && afterSeq < lastSeq) {
    const { newest } = watch;
    if (newest <= afterSeq) {
      await watch.beyond(afterSeq, heartbeatMs);
      if (watch.newest <= afterSeq) yield HEARTBEAT;
      continue;
    }
    const page = await readPage(db, watch.sessionId, afterSeq);
    if (page === "away") {
      await watch.beyond(Infinity, RETRY_MS);
      yield HEARTBEAT;
      continue;
    }
    if (page.length === 0) watch.forget(newest, afterSeq);
    for (const event of page) {
      if (watch.signal.aborted) return;
      yield frame(event);
      afterSeq = event.seq;
      if (event.payload.type === "session.completed") return;
    }
  }
}

async function readPage(
  db: DataSource,
  sessionId: string,
  afterSeq: number,
): Promise<readonly SessionEvent[] | "away"> {
  try {
    return await readEvents(db.manager, sessionId, { afterSeq, ...PAGE });
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return "away";
  }
}

function frame(event: SessionEvent): string {
  // JSON has no line breaks of its own, so one data line holds it.
  return `id: ${event.seq}\nevent: ${event.payload.type}\ndata: ${JSON.stringify(wireEvent(event))}\n\n`;
}
