import {
  EntitySchema,
  type EntitySchemaColumnOptions,
  type EntitySchemaOptions,
  type ObjectLiteral,
} from "typeorm";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";

/** What repositories write: text that Postgres refuses would fail the step, and every repetition of it. */
const TRANSFORMERS = {
  jsonb: { to: postgresSafeValue, from: (stored: unknown) => stored },
  text: {
    to: (value: unknown) => (typeof value === "string" ? postgresSafeText(value).text : value),
    from: (stored: unknown) => stored,
  },
} as const;

/** An EntitySchema whose jsonb and text columns replace what Postgres refuses (NUL, lone surrogates) by U+FFFD. */
export function defineEntity<T extends ObjectLiteral>(options: EntitySchemaOptions<T>): EntitySchema<T> {
  const columns: readonly (EntitySchemaColumnOptions | undefined)[] = Object.values(options.columns);
  for (const column of columns) {
    if (column?.type === "jsonb" || column?.type === "text") column.transformer = TRANSFORMERS[column.type];
  }
  return new EntitySchema<T>(options);
}
