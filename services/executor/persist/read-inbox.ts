import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const parseInbox = compileParser("inbox of a session", Type.Object({ inbox_seq: Type.Integer() }));

/** The number of the newest entry of a session's inbox; 0 if there is none. */
export async function readInbox(db: Queryable, sessionId: string): Promise<number> {
  const sql = "SELECT inbox_seq FROM session_runtime WHERE session_id = $1";
  const [row] = await selectRows(db, parseInbox, sql, [sessionId]);
  return row?.inbox_seq ?? 0;
}
