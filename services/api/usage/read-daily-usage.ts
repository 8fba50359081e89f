import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import type { Identity } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { sessionConditions } from "../sessions/session-conditions.ts";
import { SqlParameters } from "../sessions/sql-parameters.ts";
import { visibleTo } from "../sessions/visible-to.ts";
import { COLUMNS, RANKS, SUMS, Sums, WORK_MEM } from "./read-usage.ts";
import type { DailyUsageQuery } from "./usage-query.ts";

/** As many as a plot can show with different colours. */
const MAX_GROUPS = 6;

/** A group's name over `matched`, and over the models of its sessions. */
const NAMES = {
  alert_type: "coalesce(m.alert_type, '')",
  chain: "m.chain_id",
  model: "u.model_name",
} as const;

const OUTCOMES = ["completed", "failed", "timed_out", "cancelled"] as const;

const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const { average_cost_usd: _average, ...OwnSums } = Sums;
const Days = Type.Object({
  groups: Type.Array(Type.String()),
  days: Type.Array(
    Type.Object({
      ...OwnSums,
      day: Type.String(),
      completed: Type.Integer(),
      failed: Type.Integer(),
      timed_out: Type.Integer(),
      cancelled: Type.Integer(),
      unfinished: Type.Integer(),
      median: NumberOrNull,
      p95: NumberOrNull,
      groups: Type.Array(Type.Object({ ...OwnSums, name: Type.Union([Type.String(), Type.Null()]) })),
    }),
  ),
});
/** What the sessions of each day have used. */
export type DailySums = Static<typeof Days>;
const parseDays = compileParser("daily usage", Days);

/** The same sessions as `readUsage`, by the day of their creation in UTC. `db` is a transaction of its own. */
export async function readDailyUsage(
  db: Queryable,
  { query, identity }: { readonly query: DailyUsageQuery; readonly identity: Identity },
): Promise<DailySums> {
  const parameters = new SqlParameters();
  const where = [visibleTo(identity, parameters), ...sessionConditions(query.filters, parameters)];
  const isByModel = query.by === "model";
  const columns = COLUMNS.map((name) => `${isByModel ? "u" : "m"}.${name}`).join(", ");
  // A session counts once in the rest, although it may have called several of its models.
  const sums = isByModel
    ? SUMS.replace(/^.*? AS session_count/u, "count(DISTINCT session_id) AS session_count")
    : SUMS;
  const rank = RANKS[query.rankBy];
  await db.query(`SET LOCAL work_mem = '${WORK_MEM}'`, []);
  const [days] = await selectRows(
    db,
    parseDays,
    `WITH matched AS MATERIALIZED (
       SELECT s.session_id, s.alert_type, s.chain_id, s.status, (s.created_at AT TIME ZONE 'UTC')::date AS day, 1 AS session_count,
         (extract(epoch FROM s.completed_at - s.started_at) * 1000)::bigint AS duration,
         ${COLUMNS.map((name) => `r.${name}`).join(", ")}
       FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE ${where.join(" AND ")}
     ), parts AS MATERIALIZED (
       SELECT m.session_id, m.day, ${NAMES[query.by]} AS name, 1 AS session_count, ${columns}
       FROM matched m ${isByModel ? "JOIN session_model_usage u USING (session_id)" : ""}
     ), named AS MATERIALIZED (
       SELECT name, row_number() OVER (ORDER BY ${rank}, name) AS place
       FROM (SELECT name, ${SUMS} FROM parts GROUP BY name) AS g ORDER BY place LIMIT ${MAX_GROUPS}
     ), grouped AS (
       SELECT day, named.name, place, ${sums} FROM parts LEFT JOIN named USING (name) GROUP BY 1, 2, 3
     ), groups AS (
       SELECT day, jsonb_agg(to_jsonb(grouped) ORDER BY place) AS groups FROM grouped GROUP BY day
     ), days AS (
       SELECT day, ${SUMS},
         ${OUTCOMES.map((status) => `count(*) FILTER (WHERE status = '${status}') AS ${status}`).join(", ")},
         count(*) FILTER (WHERE status <> ALL (ARRAY[${OUTCOMES.map((status) => `'${status}'`).join(", ")}]::session_status[]))
           AS unfinished,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY duration) AS median,
         percentile_disc(0.95) WITHIN GROUP (ORDER BY duration) AS p95
       FROM matched GROUP BY day
     )
     SELECT coalesce((SELECT jsonb_agg(name ORDER BY place) FROM named), '[]') AS groups,
       coalesce((SELECT jsonb_agg(to_jsonb(days) || jsonb_build_object('groups', coalesce(groups, '[]')) ORDER BY day)
                 FROM days LEFT JOIN groups USING (day)), '[]') AS days`,
    parameters.values,
  );
  if (days === undefined) throw new Error("the usage of the days has no row");
  return days;
}
