import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const parse = compileParser("inbox", Type.Object({ inbox_seq: Type.Integer() }));

/** The newest entry of the session's inbox, as committed now. */
export async function readInboxSeq(db: Queryable, sessionId: string): Promise<number> {
  const sql = "SELECT inbox_seq FROM session_runtime WHERE session_id = $1";
  const [row] = await selectRows(db, parse, sql, [sessionId]);
  return row?.inbox_seq ?? 0;
}
