import { findSession, unknownSession } from "#shared/database/find-session.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Queryable } from "#shared/database/queryable.ts";

/** The code of the error for a reader that comes too late. */
export const EVENTS_PURGED = "events_purged" as const;

/** The code of the error for a reader of events that a failover of Postgres has lost. */
export const EVENTS_LOST = "events_lost" as const;

/**
 * For a reader that misses events: throws TerminalError `events_purged` if those of the session have been deleted, and
 * `unknown_session` if the session itself has.
 */
export async function throwIfPurged(manager: Queryable, sessionId: string): Promise<void> {
  const session = await findSession(manager, sessionId);
  if (session === undefined) throw unknownSession(sessionId);
  if (session.purged) throw eventsPurged(sessionId);
}

/** The error for a reader of events that have been deleted. */
export function eventsPurged(sessionId: string): TerminalError {
  return new TerminalError(
    EVENTS_PURGED,
    `the events of session ${sessionId} have been deleted because it ended long ago: read its timeline over REST`,
  );
}

/** The error for a reader that has events which are not stored, or other ones under their numbers. */
export function eventsLost(sessionId: string): TerminalError {
  return new TerminalError(
    EVENTS_LOST,
    `events of session ${sessionId} that you have are not stored any more: reload it and subscribe with after_seq 0`,
  );
}
