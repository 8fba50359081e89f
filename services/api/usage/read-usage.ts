import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import type { Identity } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { ALERT_HEAD } from "../sessions/session-item-columns.ts";
import { sessionConditions } from "../sessions/session-conditions.ts";
import { SqlParameters } from "../sessions/sql-parameters.ts";
import { visibleTo } from "../sessions/visible-to.ts";
import type { UsageQuery } from "./usage-query.ts";

const MAX_TOP_SESSIONS = 20;
/** Of models, alert types and chains: more than a page shows. */
const MAX_GROUPS = 500;

/** Holds what is summed of 200,000 sessions; more is written to a file, which takes longer. */
export const WORK_MEM = "32MB";

export const COLUMNS = [
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "estimated_cost_usd",
  "priced_interaction_count",
  "unpriced_interaction_count",
  "unpriced_tokens",
] as const;

/** The sums over rows that have `COLUMNS` and `session_count`. */
export const SUMS = ["session_count", ...COLUMNS]
  .map((name) => `coalesce(sum(${name}), 0) AS ${name}`)
  .join(", ");
/** Divided by Postgres, where money is exact. */
const AVERAGE =
  "round(coalesce(sum(estimated_cost_usd) / nullif(sum(session_count), 0), 0), 12) AS average_cost_usd";

export const Sums = {
  session_count: Type.Integer(),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  estimated_cost_usd: Type.Number(),
  priced_interaction_count: Type.Integer(),
  unpriced_interaction_count: Type.Integer(),
  unpriced_tokens: Type.Integer(),
  average_cost_usd: Type.Number(),
};
const UsageSums = Type.Object(Sums);
export type UsageSums = Static<typeof UsageSums>;
const Group = Type.Object({ ...Sums, name: Type.String() });

const Usage = Type.Object({
  totals: UsageSums,
  by_model: Type.Array(Group),
  by_alert_type: Type.Array(Group),
  by_chain: Type.Array(Group),
  top_sessions: Type.Array(
    Type.Object({
      session_id: Type.String(),
      alert_type: Type.Union([Type.String(), Type.Null()]),
      chain_id: Type.String(),
      alert_preview: Type.String(),
      created_at: Type.String(),
      total_tokens: Type.Integer(),
      estimated_cost_usd: Type.Number(),
      priced_interaction_count: Type.Integer(),
      unpriced_interaction_count: Type.Integer(),
    }),
  ),
});
export type Usage = Static<typeof Usage>;
const parseUsage = compileParser("usage", Usage);

export const RANKS = {
  cost: "estimated_cost_usd DESC, total_tokens DESC",
  tokens: "total_tokens DESC",
} as const;

/**
 * The sums over the sessions that the caller may see and that were created in the window, and the largest of them. One statement,
 * so that all sums are of the same moment; it reads one row for each session and each of its models. `db` is a transaction of its own.
 */
export async function readUsage(
  db: Queryable,
  { query, identity }: { readonly query: UsageQuery; readonly identity: Identity },
): Promise<Usage> {
  const parameters = new SqlParameters();
  const where = [visibleTo(identity, parameters), ...sessionConditions(query.filters, parameters)];
  const rank = RANKS[query.rankBy];
  const list = (rows: string, order: string) =>
    `(SELECT coalesce(jsonb_agg(to_jsonb(l) ORDER BY ${order}), '[]') FROM (${rows}) AS l)`;
  const groups = (name: string, from: string) =>
    list(
      `SELECT ${name} AS name, ${SUMS}, ${AVERAGE} FROM ${from} GROUP BY 1 ORDER BY ${rank}, name LIMIT ${MAX_GROUPS}`,
      `${rank}, name`,
    );
  const order = `${rank}, created_at DESC, session_id`;
  const topSessions = `SELECT m.*, ${ALERT_HEAD} AS alert_preview FROM alert_sessions s
    JOIN (SELECT * FROM matched ORDER BY ${order} LIMIT ${MAX_TOP_SESSIONS}) AS m USING (session_id)`;
  await db.query(`SET LOCAL work_mem = '${WORK_MEM}'`, []);
  const [usage] = await selectRows(
    db,
    parseUsage,
    `WITH matched AS MATERIALIZED (
       SELECT s.session_id, s.alert_type, s.chain_id, s.created_at, 1 AS session_count,
         ${COLUMNS.map((name) => `r.${name}`).join(", ")}
       FROM alert_sessions s JOIN session_runtime r USING (session_id) WHERE ${where.join(" AND ")}
     ), kinds AS MATERIALIZED (
       SELECT alert_type, chain_id, ${SUMS} FROM matched GROUP BY 1, 2
     ), models AS (
       SELECT u.*, 1 AS session_count FROM matched JOIN session_model_usage u USING (session_id)
     )
     SELECT (SELECT to_jsonb(t) FROM (SELECT ${SUMS}, ${AVERAGE} FROM kinds) AS t) AS totals,
       ${groups("model_name", "models")} AS by_model,
       ${groups("coalesce(alert_type, '')", "kinds")} AS by_alert_type,
       ${groups("chain_id", "kinds")} AS by_chain,
       ${list(topSessions, order)} AS top_sessions`,
    parameters.values,
  );
  if (usage === undefined) throw new Error("the sums of the usage have no row");
  return usage;
}
