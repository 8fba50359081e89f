import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** The part of the room for the start of a text; its end gets the rest. */
const HEAD = 0.7;

/** The database sends no more than is used: a kept text may have 16 MiB. */
const READ = `
SELECT length(content) AS chars, left(content, $3::int) AS head,
       CASE WHEN length(content) > $3::int + $4::int THEN right(content, $4::int) ELSE substr(content, $3::int + 1) END AS tail
FROM tool_results WHERE call_id = $1 AND session_id = $2`;
const parseText = compileParser(
  "kept tool result",
  Type.Object({ chars: Type.Integer(), head: Type.String(), tail: Type.String() }),
);

/**
 * The text that is kept under `handle`, or its start and its end if it has more than `maxChars` characters; null if it is kept
 * no more.
 */
export async function readKeptText(
  { db, sessionId }: { readonly db: Queryable; readonly sessionId: string },
  handle: string,
  maxChars: number,
): Promise<string | null> {
  const headChars = Math.floor(maxChars * HEAD);
  const tailChars = maxChars - headChars;
  const [row] = await selectRows(db, parseText, READ, [handle, sessionId, headChars, tailChars]);
  if (row === undefined) return null;
  const { chars, head, tail } = row;
  const left = chars - headChars - tailChars;
  return left <= 0 ? head + tail : `${head}\n[… not shown: ${left} characters …]\n${tail}`;
}
