import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { AlertSession } from "#shared/database/tables/alert-sessions.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RequestError } from "../http/request-error.ts";

/** In SQL: a row of `alert_sessions` is of another TARSy (`tarsy import`), so that no executor can work on it. */
export const IS_IMPORTED = "coalesce(session_metadata ? 'imported_from', false)";

/** The same of a row that was read. */
export function isImported({ session_metadata: metadata }: Pick<AlertSession, "session_metadata">): boolean {
  return metadata !== null && "imported_from" in metadata;
}

const READ = `SELECT ${IS_IMPORTED} AS is_imported FROM alert_sessions WHERE session_id = $1`;
const parseRow = compileParser("imported session", Type.Object({ is_imported: Type.Boolean() }));

/** Throws RequestError 409 for a session that was imported: there is nothing of it that an agent or a judge could go on from. */
export async function refuseImported(db: Queryable, sessionId: string): Promise<void> {
  const [row] = await selectRows(db, parseRow, READ, [sessionId]);
  if (row?.is_imported !== true) return;
  throw new RequestError(409, "the session was imported: it can be read and reviewed, but not continued", {
    code: "session_imported",
  });
}
