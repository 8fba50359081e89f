import type { ClientBase } from "pg";

/** The limits of a session, by the settings of Postgres, in milliseconds. */
type StatementLimits = Readonly<
  Record<"statement_timeout" | "lock_timeout" | "idle_in_transaction_session_timeout", number>
>;

/** A lost peer or a stuck statement must not hold a session's row lock indefinitely. */
export const STATEMENT_LIMITS: StatementLimits = {
  statement_timeout: 5_000,
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
};

/** For migrations. */
export const NO_LIMITS: StatementLimits = {
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/**
 * Sets the limits of a new connection whose other end is Postgres itself. Behind a pooler it changes nothing: the process that the
 * client was told of is then not the one that answers, and the setting would stay in a session of others. There the limits are those
 * of the role (`limit-roles.ts`). Parameters of the start would do for both, and PgBouncer refuses them.
 */
export async function limitSession(client: ClientBase, limits: StatementLimits): Promise<void> {
  const process: unknown = Reflect.get(client, "processID");
  const settings = Object.entries(limits).map(([name, ms]) => `set_config('${name}', '${ms}', false)`);
  await client.query(`SELECT ${settings.join(", ")} WHERE pg_backend_pid() = $1`, [
    typeof process === "number" ? process : 0,
  ]);
}
