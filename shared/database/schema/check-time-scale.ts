import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { TIME_SCALE } from "#shared/contracts/durations.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import { OTHER_TIME_SCALE } from "#shared/service/exit-codes.ts";

/** The setting of a database for tests that says by what its processes divide their durations. */
const SETTING = "tarsy.time_scale";
const SCALE = `SELECT coalesce(nullif(current_setting('${SETTING}', true), ''), '1') AS scale`;
const parseScale = compileParser("time scale of the database", Type.Object({ scale: Type.String() }));

/**
 * Throws TerminalError `other_time_scale` unless the database is one for processes of this TARSY_TIME_SCALE: an executor with a short
 * lease beside one with a long lease would take over what runs. Without the setting it is one of production, with a scale of 1.
 */
export async function checkTimeScale(db: Queryable, scale = TIME_SCALE): Promise<void> {
  const [row] = await selectRows(db, parseScale, SCALE, []);
  if (row?.scale === String(scale)) return;
  throw new TerminalError(
    OTHER_TIME_SCALE,
    `TARSY_TIME_SCALE is ${scale}, and the database is one for a scale of ${row?.scale}: ${remedyFor(scale)}`,
  );
}

function remedyFor(scale: number): string {
  return scale === 1
    ? `use another database, or remove its setting ${SETTING} once nothing uses it: it is for tests only`
    : "unset TARSY_TIME_SCALE, which is for tests only";
}
