import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Database } from "#shared/database/database.ts";

/** A page must be deleted well within `statement_timeout`. */
const PAGE = 500;

const parseSession = compileParser("session to erase", Type.Object({ session_id: Uuid }));
const parseRemoved = compileParser("removed session", Type.Object({ gone: Type.Boolean() }));

const HIDDEN_LONG_AGO = `
SELECT session_id FROM alert_sessions WHERE deleted_at < now() - make_interval(days => $1)
ORDER BY deleted_at LIMIT ${PAGE}`;

const REQUESTED = `
SELECT session_id FROM session_runtime WHERE erase_requested_at IS NOT NULL ORDER BY erase_requested_at LIMIT ${PAGE}`;

/** A page of the session's rows; true once none is left. Only the owner of the tables may delete them. */
const REMOVE_PAGE = `SELECT tarsy_remove_session($1, ${PAGE}) AS gone`;

/**
 * Removes the sessions that were hidden more than `afterDays` ago, with all their rows, one session after another and
 * each in pages, so that no statement is long. Until none is left or `signal` aborts.
 */
export async function eraseHidden(db: Database, afterDays: number, signal: AbortSignal): Promise<void> {
  await eraseFound(db, HIDDEN_LONG_AGO, [afterDays], signal);
}

/** The same for the sessions that were deleted by request. */
export async function eraseRequested(db: Database, signal: AbortSignal): Promise<void> {
  await eraseFound(db, REQUESTED, [], signal);
}

async function eraseFound(
  db: Database,
  sql: string,
  parameters: readonly unknown[],
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const found = await selectRows(db, parseSession, sql, parameters);
    for (const { session_id } of found) {
      let isGone = false;
      while (!isGone) {
        if (signal.aborted) return;
        const [removed] = await selectRows(db, parseRemoved, REMOVE_PAGE, [session_id]);
        isGone = removed?.gone ?? true;
      }
    }
    if (found.length < PAGE) return;
  }
}
