import type { ClientBase } from "pg";
import type { DatabaseService } from "#shared/database/schema/service-roles.ts";

/** Settings of Postgres for a session, by their names; times in milliseconds. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/** A lost peer or a stuck statement must not hold a session's row lock indefinitely. */
export const STATEMENT_LIMITS = {
  statement_timeout: 5_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
} as const;

/**
 * For services whose statements find rows by ids. The fewest rows decide a plan, and no table is read whole as long as an index has what is
 * compared: statistics call a new table empty, the planner takes the rows of a JSON parameter for a hundred, and a connection keeps its plans
 * while the tables grow. Pages cost nothing, or an index in the order of the rows would cost more than another one.
 */
export const LOOK_UPS: SessionSettings = {
  ...STATEMENT_LIMITS,
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  random_page_cost: 0,
  seq_page_cost: 0,
  cpu_tuple_cost: 1,
  jit: "off",
  plan_cache_mode: "force_generic_plan",
};

/**
 * True where the expression is NULL, for statements that find rows by key. `IS NULL` would let the planner take a partial index that has the
 * key in another place than the first: of a new database it believes all of them empty, and the connection keeps that plan while they grow.
 */
export const isNull = (expression: string): string => `num_nulls(${expression}) = 1`;

/** The settings of each service's sessions. */
export const SERVICE_SETTINGS: Readonly<Record<DatabaseService, SessionSettings>> = {
  api: STATEMENT_LIMITS,
  executor: LOOK_UPS,
  "tool-runner": LOOK_UPS,
  notifier: STATEMENT_LIMITS,
};

/** For migrations. */
export const NO_LIMITS: SessionSettings = {
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/**
 * Sets the settings of a new connection whose other end is Postgres itself. Behind a pooler it changes nothing: the process that the
 * start names is then not the one that answers, and the setting would stay in a session of others. There the settings are those
 * of the role (`limit-roles.ts`). Parameters of the start would do for both, and PgBouncer refuses them.
 */
export async function limitSession(client: ClientBase, limits: SessionSettings): Promise<void> {
  const process: unknown = Reflect.get(client, "processID");
  const settings = Object.entries(limits).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  await client.query(`SELECT ${settings.join(", ")} WHERE pg_backend_pid() = $1`, [
    typeof process === "number" ? process : 0,
  ]);
}
