import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Queryable } from "#shared/database/queryable.ts";

/** The code of the error for a reader that comes too late. */
export const EVENTS_PURGED = "events_purged" as const;

const parsePurged = compileParser("purged state row", Type.Object({ purged: Type.Boolean() }));

/** For a reader that misses events: throws TerminalError `events_purged` if those of the session have been deleted. */
export async function throwIfPurged(manager: Queryable, sessionId: string): Promise<void> {
  const [row] = await selectRows(
    manager,
    parsePurged,
    "SELECT events_purged_at IS NOT NULL AS purged FROM session_runtime WHERE session_id = $1",
    [sessionId],
  );
  if (row?.purged === true) throw eventsPurged(sessionId);
}

/** The error for a reader of events that have been deleted. */
export function eventsPurged(sessionId: string): TerminalError {
  return new TerminalError(
    EVENTS_PURGED,
    `the events of session ${sessionId} have been deleted because it ended long ago: read its timeline over REST`,
  );
}
