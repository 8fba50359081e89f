import type { Column } from "#shared/database/tables/table.ts";

/** Members of a step's rows that are no columns, with their SQL types. */
type Further = Readonly<Record<string, string>>;

/** A part of a step's statement, which takes its rows from one JSON parameter: `rows` is the parameter, such as `$24`. */
export type Part = (rows: string) => string;

interface DeclaredRows<N extends string> {
  readonly name: string;
  readonly columns: Readonly<Record<N, Column>>;
}

/** The rows of a JSON parameter as `r`: these columns with the types that the table declares, and the `further` members. */
export function recordset<N extends string>(
  { columns }: DeclaredRows<N>,
  names: readonly NoInfer<N>[],
  rows: string,
  further: Further = {},
): string {
  return recordsetOf(
    names.map((name) => [name, columns[name]]),
    rows,
    further,
  );
}

function recordsetOf(
  columns: readonly (readonly [string, Column])[],
  rows: string,
  further: Further,
): string {
  const types = columns.map(
    ([name, { type, enumName, array }]) => `${name} ${enumName ?? type}${array === true ? "[]" : ""}`,
  );
  const more = Object.entries(further).map(([name, type]) => `${name} ${type}`);
  return `json_to_recordset(${rows}::json) AS r(${[...types, ...more].join(", ")})`;
}

/** What the fence decides, in every table that has the column. */
const FENCED: Readonly<Record<string, string>> = {
  session_id: "fence.session_id",
  seq: "fence.seq",
  first_seq: "fence.seq",
};

interface Inserted<N extends string> {
  /** SQL of columns that the step's row alone does not decide. */
  readonly set?: Readonly<Partial<Record<N, string>>>;
  /** Columns that keep their default. */
  readonly without?: readonly N[];
  /** What only `set` reads. */
  readonly further?: Further;
}

/** The part that inserts rows into a table. Every column comes from the step's row, but for those of the fence and of `options`. */
export function insertPart<N extends string>(
  { name: table, columns }: DeclaredRows<N>,
  { set, without = [], further = {} }: Inserted<NoInfer<N>> = {},
): Part {
  const decided: Readonly<Record<string, string | undefined>> = { ...FENCED, ...set };
  const left: readonly string[] = without;
  const written = Object.entries<Column>(columns).filter(([name]) => !left.includes(name));
  const values = written.map(([name]) => decided[name] ?? `r.${name}`);
  const given = written.filter(([name]) => decided[name] === undefined);
  return (rows) => `
  INSERT INTO ${table} (${written.map(([name]) => name).join(", ")})
  SELECT ${values.join(", ")} FROM fence, ${recordsetOf(given, rows, further)}`;
}
