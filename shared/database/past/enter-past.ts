import { escapeIdentifier as quoted } from "pg";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { AT_SEQ, pastSchemaOf } from "#shared/database/past/past-views.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

const parsePlace = compileParser("schema", Type.Object({ schema: Type.String(), path: Type.String() }));
const parseSet = compileParser("setting", Type.Object({}, { additionalProperties: true }));

/**
 * From here to its end the transaction reads the rows of sessions as they were when event `atSeq` was the session's newest, by the
 * statements that read the present; it must not write to these tables under their plain names. Tables without a past
 * (`past-tables.ts`) are read as they are. The caller has checked that the session has a past and this event.
 */
export async function enterPast(transaction: Queryable, atSeq: number): Promise<void> {
  const [place] = await selectRows(
    transaction,
    parsePlace,
    "SELECT current_schema() AS schema, current_setting('search_path') AS path",
    [],
  );
  const { schema, path } = place ?? { schema: "public", path: "public" };
  await setMoment(transaction, atSeq);
  await selectRows(transaction, parseSet, "SELECT set_config('search_path', $1, true) AS path", [
    `${quoted(pastSchemaOf(schema))}, ${path}`,
  ]);
}

/**
 * For a transaction that copies from the past into the present: sets the moment that the views show, and returns the quoted schema of
 * the views, which the transaction names with their tables: `${past}.messages`.
 */
export async function pastAt(transaction: Queryable, atSeq: number): Promise<string> {
  const [place] = await selectRows(
    transaction,
    parsePlace,
    "SELECT current_schema() AS schema, current_setting('search_path') AS path",
    [],
  );
  await setMoment(transaction, atSeq);
  return quoted(pastSchemaOf(place?.schema ?? "public"));
}

async function setMoment(transaction: Queryable, atSeq: number): Promise<void> {
  await selectRows(transaction, parseSet, "SELECT set_config($1, $2, true) AS moment", [
    AT_SEQ,
    String(atSeq),
  ]);
}
