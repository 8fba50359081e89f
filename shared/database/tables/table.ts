import type { EntitySchemaColumnOptions } from "typeorm";
import type { Static, TSchema } from "#shared/generated/typebox/typebox.mjs";
import type { TextOrigin } from "#shared/masking/text-doors.ts";
import type { DatabaseService } from "#shared/database/schema/service-roles.ts";

/** What TypeORM and the driver read of each type. */
interface ReadTypes {
  uuid: string;
  text: string;
  enum: string;
  tsvector: string;
  integer: number;
  smallint: number;
  bigint: number;
  numeric: number;
  real: number;
  boolean: boolean;
  timestamptz: Date;
  jsonb: object;
  bytea: Buffer;
}

/** The types whose values can hold a text of anyone. */
type TextType = "text" | "jsonb" | "bytea" | "tsvector";

interface AnyColumn {
  readonly array?: true;
  readonly primary?: true;
  /** NOT NULL without it. */
  readonly nullable?: true;
  /** SQL of the default. */
  readonly default?: string;
  /** The values that are known; with `checked` the database refuses others, which each statement that writes the table pays for. */
  readonly enum?: readonly string[];
  readonly checked?: true;
  /** Of a `numeric`. */
  readonly precision?: number;
  readonly scale?: number;
  readonly transformer?: NonNullable<EntitySchemaColumnOptions["transformer"]>;
  /** What `jsonb` contains; any object without it. */
  readonly json?: TSchema;
  /** Only the views of the past read it: no row as the code has it. */
  readonly hidden?: true;
  /** The rest of its declaration in SQL, such as REFERENCES. */
  readonly ddl?: string;
  /** The services that may update it, where their grants do not say `update`. */
  readonly set?: DatabaseService | readonly DatabaseService[];
}

/** A column. One that can hold a text says where that comes `from`, by which it is masked. */
export type Column = AnyColumn &
  (
    | { readonly type: TextType; readonly from: TextOrigin; readonly enumName?: never }
    | { readonly type: "enum"; readonly enum: readonly string[]; readonly enumName: string }
    | { readonly type: Exclude<keyof ReadTypes, TextType | "enum">; readonly enumName?: never }
  );
type Columns = Readonly<Record<string, Column>>;

/** `true` means every column, also those that a later migration adds; otherwise these columns only. */
type Named<N extends string> = true | readonly N[];

/** What a service's role may do with a table, beside the columns that it may `set`. Nothing else; TRUNCATE and DDL never. */
interface Grants<N extends string> {
  readonly select?: Named<N>;
  readonly insert?: Named<N>;
  readonly update?: true;
  readonly delete?: true;
}

/**
 * How the rows of a table go: `session` rows are deleted with their session or its runtime row, by foreign keys that cascade; `own` rows are
 * deleted by what `by` names; `kept` rows stay, for a reason.
 */
type PurgeRule =
  | { readonly kind: "session" }
  | { readonly kind: "own"; readonly by: string }
  | { readonly kind: "kept"; readonly because: string };

/**
 * How the past of a table's rows is known. Columns that change and are not named here follow from rows that came later (`derived-past.ts`),
 * or belong to the present.
 */
export interface Past<N extends string = string> {
  /**
   * How it is known since when a row exists: `seq`, `first_seq`: by its column of this name; `kept`: by a row of `row_history`; `always`: since
   * the session exists.
   */
  readonly since: "seq" | "first_seq" | "kept" | "always";
  /**
   * Columns that change together, and not with each step: all are kept if an update overwrites one of `by`, which begin with the name of a
   * column, or any of them.
   */
  readonly changing?: readonly (
    | readonly N[]
    | { readonly columns: readonly N[]; readonly by: readonly string[] }
  )[];
}

/** The one declaration of a table: its schema, the types of its rows, the grants, and how its texts and its past are kept. */
export interface Table<C extends Columns = Columns, N extends string = string> {
  readonly name: string;
  readonly columns: C;
  /** Constraints of more than one column, and those with a name, in SQL. */
  readonly constraints?: readonly string[];
  /** `[UNIQUE ]name (columns) …`, or with `USING`. */
  readonly indexes?: readonly string[];
  /** Storage parameters. */
  readonly storage?: string;
  readonly grants: Readonly<Partial<Record<DatabaseService, Grants<N>>>>;
  readonly purge: PurgeRule;
  readonly past?: Past<N>;
  /** SQL that runs once all tables exist: functions, triggers, first rows. */
  readonly afterwards?: string;
}

/** The same in the JSON of a statement's parameter: times, money and bytes are texts. */
interface WrittenTypes extends Omit<ReadTypes, "timestamptz" | "numeric" | "bytea"> {
  timestamptz: string;
  numeric: string;
  bytea: string;
}

type OrNull<C extends Column> = C extends { readonly nullable: true } ? null : never;
type OneOf<C extends Column, T extends WrittenTypes | ReadTypes> = C extends {
  readonly json: infer S extends TSchema;
}
  ? Static<S>
  : C extends { readonly enum: readonly (infer E)[] }
    ? E
    : T[C["type"]];
type ValueOf<C extends Column, T extends WrittenTypes | ReadTypes> =
  | (C extends { readonly array: true } ? OneOf<C, T>[] : OneOf<C, T>)
  | OrNull<C>;

/** The names of the columns that are not hidden. */
type Shown<C extends Columns> = keyof {
  [K in keyof C as C[K] extends { readonly hidden: true } ? never : K]: true;
};

/** A row as the database's driver returns it. */
export type Row<T extends Table> = {
  -readonly [K in Shown<T["columns"]>]: ValueOf<T["columns"][K], ReadTypes>;
};

/** A row as a step writes it. */
export type Written<T extends Table> = {
  readonly [K in Shown<T["columns"]>]: ValueOf<T["columns"][K], WrittenTypes>;
};

/** Declares a table; the compiler checks the columns that grants and past name. */
export function table<const C extends Columns>(
  declared: Table<C, keyof C & string>,
): Table<C, keyof C & string> {
  return declared;
}

/** What a service's role may do with a table, and with which columns. */
export interface Privilege {
  readonly action: "select" | "insert" | "update" | "delete";
  readonly columns: Named<string>;
}

/** Everything that is declared for a service. */
export function privilegesOf({ grants, columns }: Table, service: DatabaseService): readonly Privilege[] {
  const { select, insert, update, delete: deletes } = grants[service] ?? {};
  const settable = Object.entries(columns).flatMap(([name, { set = [] }]) =>
    [set].flat().includes(service) ? [name] : [],
  );
  const all = {
    select,
    insert,
    update: update ?? (settable.length === 0 ? undefined : settable),
    delete: deletes,
  };
  return (["select", "insert", "update", "delete"] as const).flatMap((action) => {
    const named = all[action];
    return named === undefined ? [] : [{ action, columns: named }];
  });
}

export const READ = { select: true } as const;
export const ADD = { select: true, insert: true } as const;
export const ALL = { select: true, insert: true, update: true, delete: true } as const;

/** The session of a row that goes with it. */
export const OF_SESSION = { type: "uuid", ddl: "REFERENCES alert_sessions ON DELETE CASCADE" } as const;
/** How rows go that have no foreign key to their session: it would be a query for each row, and what inserts them has the session. */
export const WITH_SESSION = {
  kind: "own",
  by: "what removes the session, and a trigger of it for what is left",
} as const;
/**
 * The execution of a row that goes with it, by a trigger. Its writer holds the session's runtime row locked, and has checked the execution
 * there: a foreign key would only be a query for each row.
 */
export const OF_EXECUTION = { type: "uuid" } as const;
/** How rows with OF_EXECUTION go. */
export const WITH_EXECUTION = {
  kind: "own",
  by: "what removes the session, and a trigger of their execution for what is left",
} as const;

/** Money in USD with twelve decimals, read as the nearest number. */
export const USD = {
  type: "numeric",
  precision: 24,
  scale: 12,
  transformer: {
    from: (text: string | null) => (text === null ? null : Number(text)),
    to: (usd: number | null) => usd,
  },
} as const;
