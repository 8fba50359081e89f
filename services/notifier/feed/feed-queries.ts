import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { StoredEvent } from "#shared/contracts/session-event.ts";
import { FoundSession, findSession, foundSessions, unknownSession } from "#shared/database/find-session.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { DatabaseReads } from "./database-reads.ts";

/** The start of a feed: the session and its timeline events that are still streaming. */
interface FeedState {
  readonly session: FoundSession;
  readonly openEventIds: readonly string[];
}

interface FeedQuery {
  readonly reads: DatabaseReads;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** Events per page. Small, because one event can be large: a tool result has up to 256 KiB. */
const GAP_PAGE = 50;

const parseFeedState = compileParser(
  "feed state row",
  Type.Object({ ...FoundSession.properties, open: Type.Array(Type.String()) }),
);

/** One statement, so that both parts come from the same snapshot. Undefined for an unknown or deleted session. */
export async function readFeedState({ reads, sessionId, signal }: FeedQuery): Promise<FeedState | undefined> {
  const [row] = await reads.run({
    what: "feed state",
    signal,
    read: async (manager) =>
      selectRows(
        manager,
        parseFeedState,
        `SELECT found.*, ARRAY(SELECT event_id::text FROM timeline_events
           WHERE session_id = $1 AND status = 'streaming' ORDER BY created_at LIMIT 1000) AS open
         FROM (${foundSessions("ARRAY[$1::uuid]")}) AS found`,
        [sessionId],
      ),
  });
  if (row === undefined) return undefined;
  const { open: openEventIds, ...session } = row;
  return { session, openEventIds };
}

/**
 * The next page of events after `afterSeq`, ascending; empty if the session has no more. Throws TerminalError
 * `events_missing` if the session has counted more events than are stored, `unknown_session` if it is deleted.
 */
export async function readMissedEvents(
  { reads, sessionId, signal }: FeedQuery,
  afterSeq: number,
): Promise<StoredEvent[]> {
  return reads.run({
    what: "gap",
    signal,
    // Refused, the feed would fail for all of its watchers.
    always: true,
    read: async (manager) => {
      const readPage = async () => readEvents(manager, sessionId, { afterSeq, limit: GAP_PAGE });
      const page = await readPage();
      if (page.length > 0) return page;
      const session = await findSession(manager, sessionId);
      if (session === undefined) throw unknownSession(sessionId);
      // Read after the counter, so that an event committed in between does not look like a missing one.
      const later = await readPage();
      if (later.length === 0 && session.last_seq > afterSeq) {
        throw new TerminalError("events_missing", `events of session ${sessionId} are missing`);
      }
      return later;
    },
  });
}
