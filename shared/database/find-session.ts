import { isNull } from "#shared/database/connection/statement-limits.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Queryable } from "#shared/database/queryable.ts";

/** The columns of `foundSessions`. */
export const FoundSession = Type.Object({
  session_id: Type.String(),
  status: literals(SESSION_STATUSES),
  /** The newest event's number. */
  last_seq: Type.Integer(),
  /** The events have been deleted because the session ended long ago. */
  purged: Type.Boolean(),
  /** Who may see it: see shared/access. */
  owner_subject: Type.Union([Type.String(), Type.Null()]),
  teams: Type.Array(Type.String()),
});

/** A session that exists for readers: it is stored and not deleted. */
export type FoundSession = Static<typeof FoundSession>;

/**
 * The one definition of which sessions exist for readers: those of `ids`, an SQL expression of type uuid[], that are not
 * deleted. To be used as a subquery where a reader needs more of the same snapshot.
 */
export const foundSessions = (ids: string): string => `
SELECT s.session_id, s.status, r.last_seq, r.events_purged_at IS NOT NULL AS purged,
       s.owner_subject, s.teams
FROM alert_sessions s JOIN session_runtime r USING (session_id)
WHERE s.session_id = ANY(${ids}) AND ${isNull("s.deleted_at")}`;

const FOUND_SESSIONS = foundSessions("$1::uuid[]");

const parseFound = compileParser("session row", FoundSession);

/**
 * Finds a session for a reader; undefined alike for one that never existed and for one that is deleted. `lock` keeps
 * every other writer of the session's row waiting until the transaction ends.
 */
export async function findSession(
  db: Queryable,
  sessionId: string,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<FoundSession | undefined> {
  const sql = lock ? `${FOUND_SESSIONS} FOR NO KEY UPDATE OF s` : FOUND_SESSIONS;
  const [row] = await selectRows(db, parseFound, sql, [[sessionId]]);
  return row;
}

/** The same for many sessions in one query, by id; those that do not exist or are deleted are absent. */
export async function findSessions(
  db: Queryable,
  sessionIds: readonly string[],
): Promise<Map<string, FoundSession>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await selectRows(db, parseFound, FOUND_SESSIONS, [sessionIds]);
  return new Map(rows.map((row) => [row.session_id, row]));
}

/** The code of the error about a session that does not exist or is deleted. */
export const UNKNOWN_SESSION = "unknown_session";

/** The error for a reader of a session that does not exist or is deleted: it does not tell which. */
export function unknownSession(sessionId: string): TerminalError {
  return new TerminalError(UNKNOWN_SESSION, `there is no session ${sessionId}`);
}
