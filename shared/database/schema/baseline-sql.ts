import { createHash } from "node:crypto";
import { ALL_TABLES, SCHEMA_MIGRATIONS } from "#shared/database/tables/all-tables.ts";
import type { Column, Table } from "#shared/database/tables/table.ts";

const TABLES = ALL_TABLES.filter((table) => table !== SCHEMA_MIGRATIONS);
const columnsOf = (table: Table): readonly (readonly [string, Column])[] => Object.entries(table.columns);

/** The statements that create every table with its types, indexes, functions and triggers, as they are declared. */
export function baselineTables(): string {
  const types = new Map(
    TABLES.flatMap((table) =>
      columnsOf(table).flatMap(([, { enumName, enum: values = [] }]) =>
        enumName === undefined ? [] : [[enumName, values] as const],
      ),
    ),
  );
  const statements = [
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    ...[...types].map(([name, values]) => `CREATE TYPE ${name} AS ENUM (${listed(values)})`),
    ...TABLES.flatMap((table) => [
      createTable(table),
      ...(table.indexes ?? []).map((index) => createIndex(table, index)),
    ]),
  ];
  return `${statements.join(";\n")};\n${TABLES.flatMap(({ afterwards = [] }) => afterwards).join("\n")}`;
}

function createTable(table: Table): string {
  const keys = columnsOf(table).filter(([, { primary }]) => primary === true);
  const composite = keys.length > 1 ? [`PRIMARY KEY (${keys.map(([name]) => name).join(", ")})`] : [];
  const columns = columnsOf(table).map(([name, column]) => columnSql(name, column, keys.length === 1));
  const lines = [...columns, ...composite, ...(table.constraints ?? [])];
  const storage = table.storage === undefined ? "" : ` WITH (${table.storage})`;
  return `CREATE TABLE ${table.name} (\n  ${lines.join(",\n  ")}\n)${storage}`;
}

function columnSql(name: string, column: Column, isOnlyKey: boolean): string {
  const { type, enumName, array, primary, nullable, precision, scale, ddl } = column;
  const numbers = precision === undefined ? "" : `(${precision}, ${scale ?? 0})`;
  return [
    name,
    `${enumName ?? type}${numbers}${array === true ? "[]" : ""}`,
    ...(primary === true && isOnlyKey ? ["PRIMARY KEY"] : []),
    ...(primary === true || nullable === true ? [] : ["NOT NULL"]),
    ...(column.default === undefined ? [] : [`DEFAULT ${column.default}`]),
    ...(column.checked === true ? [`CHECK (${name} IN (${listed(column.enum ?? [])}))`] : []),
    ...(ddl === undefined ? [] : [ddl]),
  ].join(" ");
}

/** `[UNIQUE ]name …` */
function createIndex(table: Table, index: string): string {
  const [, unique = "", name = "", rest = ""] = /^(UNIQUE )?(\w+) (.*)$/u.exec(index) ?? [];
  return `CREATE ${unique}INDEX ${name} ON ${table.name} ${rest}`;
}

const listed = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(", ");

const HASH_LENGTH = 16;

/** The name of a baseline: a digest of its statements, whatever their line breaks. */
export function baselineHash(tables: string, pastTriggers: (schema: string) => string): string {
  return createHash("sha256")
    .update(`${tables}${pastTriggers("public")}`.replaceAll(/\s+/gu, " ").trim())
    .digest("hex")
    .slice(0, HASH_LENGTH);
}
