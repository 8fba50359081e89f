import type { TSchema, TUnsafe } from "typebox";
import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Column, Table, Written } from "#shared/database/tables/table.ts";

const SCHEMAS: Readonly<Record<Column["type"], TSchema>> = {
  uuid: Uuid,
  text: Type.String(),
  enum: Type.String(),
  tsvector: Type.String(),
  integer: Type.Integer(),
  smallint: Type.Integer(),
  bigint: Type.Integer(),
  numeric: Type.String(),
  real: Type.Number(),
  boolean: Type.Boolean(),
  timestamptz: Type.String(),
  jsonb: Type.Object({}, { additionalProperties: true }),
  bytea: Type.String(),
};

/** The schemas of these columns, by name, of a row in JSON: times, money and bytes are texts. */
export function rowMembers<T extends Table, const N extends keyof Written<T> & string>(
  table: T,
  ...names: readonly N[]
): { readonly [K in N]: TUnsafe<Written<T>[K]> };
export function rowMembers({ columns }: Table, ...names: readonly string[]): Record<string, TSchema> {
  return Object.fromEntries(
    names.flatMap((name) => (columns[name] === undefined ? [] : [[name, schemaOf(columns[name])]])),
  );
}

function schemaOf({ type, enum: values, json, array, nullable }: Column): TSchema {
  const one = json ?? (values === undefined ? SCHEMAS[type] : literals(values));
  const value = array ? Type.Array(one) : one;
  return nullable ? Type.Union([value, Type.Null()]) : value;
}
