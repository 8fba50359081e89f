import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";

const LOAD = "SELECT hash, body FROM texts WHERE hash = ANY($1::text[])";
const parseText = compileParser("stored text", Type.Object({ hash: Type.String(), body: Type.String() }));

/** Reads texts by their hashes. Throws TerminalError `not_found` if one is missing. */
export async function loadTexts(
  db: Queryable,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await selectRows(db, parseText, LOAD, [hashes]);
  const texts = new Map(rows.map(({ hash, body }) => [hash, body]));
  const missing = hashes.find((hash) => !texts.has(hash));
  if (missing !== undefined) throw new TerminalError("not_found", `there is no text ${missing}`);
  return texts;
}
