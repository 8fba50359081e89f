import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** Texts that were needed within this time are in no danger: they are swept a day later (`SWEEP_AFTER`). */
const FRESH = "interval '1 hour'";

/** A text that no session needs is removed once it was not needed for this long. */
const SWEEP_AFTER = "interval '1 day'";
const PAGE = 1_000;

const FIND = `SELECT hash FROM texts WHERE hash = ANY($1::text[]) AND used_at > now() - ${FRESH}`;
const parseFound = compileParser("stored text", Type.Object({ hash: Type.String() }));

/** In the order of the hashes, so that two such statements do not wait for each other in a circle. */
const KEEP = `
INSERT INTO texts (hash, body)
SELECT hash, body FROM json_to_recordset($1::json) AS given(hash text, body text) ORDER BY hash
ON CONFLICT (hash) DO UPDATE SET used_at = now()`;

/**
 * Stores these texts, which must be Postgres-safe, unless they are there. Call it before the rows that refer to them
 * are inserted, which must happen within hours. Throws database errors.
 */
export async function keepTexts(
  db: Queryable,
  texts: readonly { readonly hash: string; readonly body: string }[],
): Promise<void> {
  if (texts.length === 0) return;
  const found = await selectRows(db, parseFound, FIND, [texts.map(({ hash }) => hash)]);
  const fresh = new Set(found.map(({ hash }) => hash));
  const others = texts.filter(({ hash }) => !fresh.has(hash));
  if (others.length === 0) return;
  const rows = [...new Map(others.map(({ hash, body }) => [hash, { hash, body }])).values()];
  await db.query(KEEP, [JSON.stringify(rows)]);
}

/**
 * Removes a page of texts that no session needs and returns how many. The age is checked again once a row is locked, so a text
 * that has just been needed again stays.
 */
export const SWEEP_TEXTS = `
WITH old AS (
  SELECT hash FROM texts t WHERE used_at < now() - ${SWEEP_AFTER}
    AND NOT EXISTS (SELECT FROM needed_texts s WHERE s.hash = t.hash)
  ORDER BY used_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM texts t USING old WHERE t.hash = old.hash RETURNING 1
)
SELECT count(*)::int AS n FROM deleted`;
