import { isoText } from "#shared/database/iso-text.ts";
import { keepConfigs } from "#shared/database/resolved-configs.ts";
import { FOLLOW_UPS } from "#shared/database/tables/follow-ups.ts";
import { LLM_INTERACTIONS } from "#shared/database/tables/llm-interactions.ts";
import { modelUsageAggregates, TOKENS } from "#shared/database/cost-sums.ts";
import { SESSION_COUNTERS, SESSION_FLAGS } from "#shared/database/session-counters.ts";
import type { StepRows } from "../state/step-rows.ts";
import { RESERVE } from "./reserve-budget.ts";
import { STEP_PARTS } from "./step-parts.ts";
import { recordset } from "./write-rows.ts";
import type { TableRows } from "./table-rows.ts";

const USAGE = modelUsageAggregates("r");
const USAGE_COLUMNS = Object.keys(USAGE);

/** What the calls add to the session's use of each model. */
const MODEL_USAGE = (calls: string) => `
  INSERT INTO session_model_usage AS u (session_id, model_name, ${USAGE_COLUMNS.join(", ")})
  SELECT fence.session_id, r.model_name, ${Object.values(USAGE).join(", ")}
  FROM fence, ${recordset(LLM_INTERACTIONS, ["model_name", ...TOKENS, "cached_input_tokens", "estimated_cost_usd"], calls)}
  GROUP BY fence.session_id, r.model_name
  ON CONFLICT (session_id, model_name) DO UPDATE SET
    ${USAGE_COLUMNS.map((name) => `${name} = u.${name} + EXCLUDED.${name}`).join(", ")}`;

/** The configurations of follow-ups. */
const CONFIGS = (followUps: string) =>
  keepConfigs(`SELECT DISTINCT ON (r.config_hash) r.config_hash, r.resolved_config
    FROM fence, ${recordset(FOLLOW_UPS, ["config_hash"], followUps, { resolved_config: "jsonb" })}`);

const isPart = (name: string): name is keyof StepRows => Object.hasOwn(STEP_PARTS, name);
const PART_NAMES = Object.keys(STEP_PARTS).filter(isPart);

/**
 * Taken first by steps that change the session's own row or depend on its review, as by the api's cancel: a statement that locks both rows locks this
 * one first.
 */
const LOCK = `
locked AS MATERIALIZED (
  SELECT session_id, quality_rating FROM alert_sessions WHERE session_id = $1 FOR NO KEY UPDATE
),`;

/** The statement's parameter of the first counter. */
const FIRST_COUNTER = 14;

/** What a step adds to the counters of the session (`stepCounts`). */
const COUNTS = [
  ...SESSION_COUNTERS.map((name, index) => `${name} = r.${name} + $${FIRST_COUNTER + index}`),
  ...SESSION_FLAGS.map(
    (name, index) => `${name} = r.${name} OR $${FIRST_COUNTER + SESSION_COUNTERS.length + index}::boolean`,
  ),
];

/**
 * Fencing: the update matches only while the owner's epoch is current, its step before is the last one ($12; after a failover Postgres may
 * have lost that), the lease was not given back and no cancel was
 * requested (unless the owner closes), neither of the session nor of the follow-up $11 that the step belongs to; it locks
 * the row until the commit. Numbering: `seq` is assigned under that lock, so
 * commit order equals `seq` order; with a sequence, a reader could miss an event that commits late. Stamping: the row as it is
 * once it is locked has the time, so the events' time rises with `seq`. A step also shows that the session makes progress,
 * so it resets `attempts` and `interruptions`.
 */
const fence = (isLocking: boolean) => `
fence AS (
  UPDATE session_runtime r SET
    last_seq = r.last_seq + $3,
    last_step = $13::uuid,
    last_interaction_at = clock_timestamp(),
    attempts = 0,
    interruptions = 0,
    lease_expires_at = CASE WHEN $5::boolean THEN NULL ELSE r.lease_expires_at END,
    place_id = CASE WHEN $5::boolean THEN NULL ELSE r.place_id END,
    input_tokens = r.input_tokens + $7, output_tokens = r.output_tokens + $8,
    thinking_tokens = r.thinking_tokens + $9,
    total_tokens = r.total_tokens + $10,
    ${COUNTS.join(", ")}
  ${isLocking ? "FROM locked" : ""}
  WHERE r.session_id = ${isLocking ? "locked.session_id" : "$1"} AND r.lease_epoch = $2 AND r.last_step = ANY($12::uuid[])
    AND r.lease_expires_at IS NOT NULL
    AND ($4::boolean OR r.cancel_requested_at IS NULL AND NOT coalesce($11::uuid = ANY(r.cancelled_follow_ups), false))
  RETURNING r.session_id, r.last_seq - $3 AS base, r.last_seq AS seq, r.inbox_seq,
            r.last_interaction_at AS at, ${isoText("r.last_interaction_at")} AS stamp
)`;

const events = (reserves: boolean) => `
event_rows AS (
  INSERT INTO events (session_id, seq, payload, created_at)
  SELECT fence.session_id, fence.base + item.ordinality::int, item.value::jsonb - 'session_id', fence.at
  FROM fence, json_array_elements($6::json) WITH ORDINALITY AS item(value, ordinality)
  RETURNING id, seq
)
SELECT base, stamp, inbox_seq, coalesce((SELECT json_agg(id ORDER BY seq) FROM event_rows), '[]'::json) AS ids${reserves ? ", (SELECT verdict FROM budget) AS budget" : ""}
FROM fence`;

/** The parameters of every step's statement; those of its parts follow. */
const FENCE_PARAMETERS = FIRST_COUNTER - 1 + COUNTS.length;

const statements = new Map<string, string>();

/**
 * The statement of a step with these rows, and the names of its parts in the order of their parameters, which follow
 * those of the fence. There are few: one for each set of tables that steps write together. With `reserves` it also reserves for
 * a call; the request is its last parameter.
 */
export function stepStatement(
  rows: TableRows,
  reserves = false,
): {
  readonly sql: string;
  readonly parts: readonly (keyof TableRows)[];
} {
  const parts = PART_NAMES.filter((name) => rows[name].length > 0);
  const key = `${parts.join()}${reserves ? "+budget" : ""}`;
  const known = statements.get(key);
  const sql = known ?? compose(parts, reserves);
  if (known === undefined) statements.set(key, sql);
  return { sql, parts };
}

function compose(parts: readonly (keyof TableRows)[], reserves: boolean): string {
  const isLocking = parts.includes("session") || parts.includes("newMemories");
  const written = parts.map(
    (name, index) =>
      `part_${name.toLowerCase()} AS (${STEP_PARTS[name](`$${FENCE_PARAMETERS + 1 + index}`)}\n)`,
  );
  const calls = parts.indexOf("llmInteractions");
  if (calls !== -1) written.push(`model_usage AS (${MODEL_USAGE(`$${FENCE_PARAMETERS + 1 + calls}`)}\n)`);
  const followUps = parts.indexOf("followUps");
  if (followUps !== -1) written.push(`configs AS (${CONFIGS(`$${FENCE_PARAMETERS + 1 + followUps}`)}\n)`);
  if (reserves) written.push(RESERVE(`$${FENCE_PARAMETERS + 1 + parts.length}`));
  return `WITH ${isLocking ? LOCK : ""}${[fence(isLocking), ...written, events(reserves)].join(",\n")}`;
}
