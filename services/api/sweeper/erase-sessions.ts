import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Database } from "#shared/database/database.ts";

/** A page must be deleted well within `statement_timeout`. */
const PAGE = 500;

/** The large tables of a session with their keys, rows before those they depend on. */
const LARGE_TABLES = [
  ["events", "id"],
  ["tool_calls", "call_id"],
  ["timeline_events", "event_id"],
  ["mcp_interactions", "interaction_id"],
  ["llm_interactions", "interaction_id"],
  ["messages", "message_id"],
] as const;

const parseSession = compileParser("session to erase", Type.Object({ session_id: Uuid }));
const parseCount = compileParser("deleted rows", Type.Object({ n: Type.Integer() }));

const HIDDEN_LONG_AGO = `
SELECT session_id FROM alert_sessions WHERE deleted_at < now() - make_interval(days => $1)
ORDER BY deleted_at LIMIT ${PAGE}`;

const REQUESTED = `
SELECT session_id FROM session_runtime WHERE erase_requested_at IS NOT NULL ORDER BY erase_requested_at LIMIT ${PAGE}`;

const deleteRows = (table: string, key: string) => `
WITH page AS (
  SELECT ${key} FROM ${table} WHERE session_id = $1 LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM ${table} USING page WHERE ${table}.${key} = page.${key} RETURNING 1
)
SELECT count(*)::int AS n FROM deleted`;

/** Foreign keys delete the rest with it. */
const DELETE_SESSION = `DELETE FROM alert_sessions WHERE session_id = $1 AND deleted_at IS NOT NULL`;

/**
 * Removes the sessions that were hidden more than `afterDays` ago, with all their rows, one session after another and
 * each in pages, so that no statement is long. Until none is left or `signal` aborts.
 */
export async function eraseHidden(db: Database, afterDays: number, signal: AbortSignal): Promise<void> {
  await eraseFound(db, HIDDEN_LONG_AGO, [afterDays], signal);
}

/** The same for the sessions that somebody deleted. */
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
      for (const [table, key] of LARGE_TABLES) {
        await deletePages(db, deleteRows(table, key), session_id, signal);
      }
      if (signal.aborted) return;
      await db.query(DELETE_SESSION, [session_id]);
    }
    if (found.length < PAGE) return;
  }
}

async function deletePages(db: Database, sql: string, id: string, signal: AbortSignal): Promise<void> {
  let isLastPage = false;
  while (!isLastPage && !signal.aborted) {
    const [deleted] = await selectRows(db, parseCount, sql, [id]);
    isLastPage = (deleted?.n ?? 0) < PAGE;
  }
}
