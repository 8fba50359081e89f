import type { Queryable } from "#shared/database/queryable.ts";

/** The column that finds rows with a configuration. */
type ConfigOwner = "alert_sessions.session_id" | "follow_ups.session_id" | "follow_ups.follow_up_id";

/**
 * Gives the rows with this id another configuration: SQL over the present one, `config`, whose first parameter is $2. By default they are those
 * of a session.
 */
export async function changeConfig(
  db: Queryable,
  id: string,
  sql: string,
  { of = "alert_sessions.session_id", values = [] }: { of?: ConfigOwner; values?: readonly unknown[] } = {},
): Promise<void> {
  const [table] = of.split(".");
  await db.query(
    `WITH changed AS MATERIALIZED (
       SELECT ${sql} AS config FROM resolved_configs c JOIN ${table} USING (config_hash) WHERE ${of} = $1
     ), kept AS (
       INSERT INTO resolved_configs (config_hash, config) SELECT DISTINCT md5(config::text), config FROM changed ON CONFLICT DO NOTHING
     )
     UPDATE ${table} SET config_hash = md5(config::text) FROM changed WHERE ${of} = $1`,
    [id, ...values],
  );
}
