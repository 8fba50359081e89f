import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { MASKED_VALUES } from "#shared/database/tables/texts.ts";

/** Masked values of a session beyond this number are not found again. */
const MAX_VALUES = 10_000;

const READ = `
SELECT mask_key AS key, coalesce((
  SELECT json_agg(json_build_object('digest', digest, 'digits', digits, 'length', length, 'kind', kind))
  FROM (SELECT * FROM masked_values WHERE session_id = $1 LIMIT ${MAX_VALUES}) v), '[]') AS seen
FROM alert_sessions WHERE session_id = $1`;
const Value = Type.Object(rowMembers(MASKED_VALUES, "digest", "digits", "length", "kind"));
const parseRow = compileParser(
  "masking of a session",
  Type.Object({ key: Type.String(), seen: Type.Array(Value) }),
);

/** The key and values with which a session's texts are masked. */
export interface SessionMasking {
  /** Undefined for a session that has been removed. */
  readonly key: string | undefined;
  readonly seen: readonly MaskedValue[];
}

/** Reads a session's key and the values masked in it so far; a removed session has none. Throws database errors. */
export async function readSessionMasking(db: Database, sessionId: string): Promise<SessionMasking> {
  const [row] = await selectRows(db, parseRow, READ, [sessionId]);
  return row ?? { key: undefined, seen: [] };
}
