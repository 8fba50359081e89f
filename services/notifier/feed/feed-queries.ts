import { Type } from "typebox";
import type { DataSource } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { readEvents, readLastSeqs } from "#shared/database/read-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { retryUnavailable } from "./retry-unavailable.ts";

/** What a feed starts from: the session's newest event and the timeline events that are still streaming. */
interface FeedState {
  readonly lastSeq: number;
  readonly openEventIds: readonly string[];
}

interface FeedQuery {
  readonly db: DataSource;
  readonly log: Logger;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** Events per page. Small, because one event can be large: a tool result has up to 256 KiB. */
export const EVENT_PAGE = 50;

const parseFeedState = compileParser(
  "feed state row",
  Type.Object({ last_seq: Type.Integer(), open: Type.Array(Type.String()) }),
);

/** One statement, so that both parts come from the same snapshot. Undefined for an unknown session. */
export async function readFeedState({
  db,
  log,
  sessionId,
  signal,
}: FeedQuery): Promise<FeedState | undefined> {
  const [row] = await retryUnavailable("feed state", { log, signal }, () =>
    selectRows(
      db.manager,
      parseFeedState,
      `SELECT last_seq, ARRAY(SELECT event_id::text FROM timeline_events
         WHERE session_id = $1 AND status = 'streaming' ORDER BY created_at LIMIT 1000) AS open
       FROM session_runtime WHERE session_id = $1`,
      [sessionId],
    ),
  );
  return row === undefined ? undefined : { lastSeq: row.last_seq, openEventIds: row.open };
}

/**
 * The next page of events after `afterSeq`, ascending; empty if the session has no more. Throws TerminalError
 * `events_missing` if the session has counted more events than are stored.
 */
export async function readMissedEvents(
  { db, log, sessionId, signal }: FeedQuery,
  afterSeq: number,
): Promise<SessionEvent[]> {
  const readPage = () => readEvents(db.manager, sessionId, { afterSeq, limit: EVENT_PAGE });
  const page = await retryUnavailable("gap", { log, signal }, readPage);
  if (page.length > 0) return page;
  const [lastSeqs, later] = await retryUnavailable(
    "gap",
    { log, signal },
    async (): Promise<[Map<string, number>, SessionEvent[]]> => [
      await readLastSeqs(db.manager, [sessionId]),
      // Read after the counter, so that an event committed in between does not look like a missing one.
      await readPage(),
    ],
  );
  if (later.length === 0 && (lastSeqs.get(sessionId) ?? 0) > afterSeq) {
    throw new TerminalError("events_missing", `events of session ${sessionId} are missing`);
  }
  return later;
}
