import { isoText } from "#shared/database/iso-text.ts";
import { COST_SUMS, modelUsageAggregates } from "#shared/database/cost-sums.ts";
import { SESSION_COUNTERS, SESSION_FLAGS } from "#shared/database/session-counters.ts";
import type { StepRows } from "../state/step-rows.ts";
import { ACTIONS_EXECUTED } from "./actions-executed.ts";
import { FOLLOW_UP_PARTS } from "./follow-up-parts.ts";
import { COST_COLUMNS } from "./call-costs.ts";
import { BUDGET_PARTS } from "./budget-parts.ts";
import { MEMORY_PARTS } from "./memory-parts.ts";
import { NOTIFICATION_PARTS } from "./notification-parts.ts";
import { RESERVE } from "./reserve-budget.ts";
import type { TableRows } from "./table-rows.ts";

/**
 * The parts of a step's statement. Each takes its rows from one JSON parameter and
 * its right to write from `fence`: without a row there, it writes nothing. `seq` is the session's newest event afterwards.
 */
const PARTS: Readonly<Record<keyof TableRows, (parameter: string) => string>> = {
  stages: (rows) => `
  INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count, parallel_type, success_policy,
                      stage_type, actions_executed, actions_claimed, status, started_at, completed_at, duration_ms, error_message, error_code)
  SELECT r.stage_id, fence.session_id, r.stage_name, r.stage_index, r.expected_agent_count, r.parallel_type, r.success_policy,
         r.stage_type, CASE WHEN r.stage_type = 'action' AND r.status <> 'active' THEN false END, r.actions_claimed,
         r.status, now(), CASE WHEN r.status <> 'active' THEN now() END, CASE WHEN r.status <> 'active' THEN 0 END,
         r.error_message, r.error_code
  FROM fence, json_to_recordset(${rows}::json) AS r(stage_id uuid, stage_name text, stage_index int, expected_agent_count int,
       parallel_type parallel_type, success_policy success_policy, stage_type text, actions_claimed boolean, status run_status, error_message text, error_code text)`,
  stageEnds: (rows) => `
  UPDATE stages SET status = r.status, completed_at = now(), error_message = r.error_message, error_code = r.error_code,
    duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int, actions_claimed = r.actions_claimed,
    actions_executed = CASE WHEN stages.stage_type = 'action' THEN ${ACTIONS_EXECUTED} END
  FROM fence, json_to_recordset(${rows}::json) AS r(stage_id uuid, status run_status, error_message text, error_code text,
       actions_claimed boolean)
  WHERE stages.stage_id = r.stage_id`,
  executions: (rows) => `
  INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
    iteration_state, llm_provider, llm_backend, model_name, original_llm_provider, original_llm_backend,
    original_model_name, parent_execution_id, task, status, started_at, completed_at, duration_ms, error_message, error_code,
    input_tokens, output_tokens, thinking_tokens, total_tokens, ${COST_SUMS.join(", ")}, seq)
  SELECT r.execution_id, r.stage_id, fence.session_id, r.agent_name, r.agent_index, r.iteration_strategy,
    r.iteration_state, r.llm_provider, r.llm_backend, r.model_name, r.original_llm_provider, r.original_llm_backend,
    r.original_model_name, r.parent_execution_id, r.task, r.status, CASE WHEN r.starts THEN now() END, CASE WHEN r.ends THEN now() END,
    CASE WHEN r.starts AND r.ends THEN 0 END, r.error_message, r.error_code,
    r.input_tokens, r.output_tokens, r.thinking_tokens, r.total_tokens, ${COST_SUMS.map((name) => `r.${name}`).join(", ")},
    fence.seq
  FROM fence, json_to_recordset(${rows}::json) AS r(execution_id uuid, stage_id uuid, agent_name text, agent_index int,
       iteration_strategy iteration_strategy, iteration_state jsonb, llm_provider text, llm_backend text, model_name text,
       original_llm_provider text, original_llm_backend text, original_model_name text, parent_execution_id uuid, task text, status run_status, starts boolean,
       ends boolean, error_message text, error_code text, input_tokens bigint, output_tokens bigint, thinking_tokens bigint,
       total_tokens bigint, ${COST_COLUMNS})`,
  executionChanges: (rows) => `
  UPDATE agent_executions e SET
    status = coalesce(r.status, e.status),
    started_at = CASE WHEN r.starts THEN coalesce(e.started_at, now()) ELSE e.started_at END,
    completed_at = CASE WHEN r.ends THEN now() ELSE e.completed_at END,
    duration_ms = CASE WHEN r.ends THEN (extract(epoch FROM now() - CASE WHEN r.starts THEN coalesce(e.started_at, now())
                                          ELSE e.started_at END) * 1000)::int ELSE e.duration_ms END,
    error_message = CASE WHEN r.ends THEN r.error_message ELSE e.error_message END,
    error_code = CASE WHEN r.ends THEN r.error_code ELSE e.error_code END,
    iteration_state = coalesce(r.iteration_state, e.iteration_state),
    original_llm_provider = coalesce(e.original_llm_provider, r.original_llm_provider),
    original_llm_backend = CASE WHEN e.original_llm_provider IS NULL THEN r.original_llm_backend ELSE e.original_llm_backend END,
    original_model_name = CASE WHEN e.original_llm_provider IS NULL THEN r.original_model_name ELSE e.original_model_name END,
    llm_provider = coalesce(r.llm_provider, e.llm_provider),
    llm_backend = coalesce(r.llm_backend, e.llm_backend), model_name = coalesce(r.model_name, e.model_name),
    input_tokens = e.input_tokens + r.input_tokens, output_tokens = e.output_tokens + r.output_tokens,
    thinking_tokens = e.thinking_tokens + r.thinking_tokens, total_tokens = e.total_tokens + r.total_tokens,
    ${COST_SUMS.map((name) => `${name} = e.${name} + r.${name}`).join(", ")},
    delivered_at = CASE WHEN r.delivered THEN coalesce(e.delivered_at, now()) ELSE e.delivered_at END,
    cancel_requested_at = CASE WHEN r.cancels THEN coalesce(e.cancel_requested_at, now()) ELSE e.cancel_requested_at END,
    seq = fence.seq
  FROM fence, json_to_recordset(${rows}::json) AS r(execution_id uuid, status run_status, starts boolean, ends boolean, delivered boolean, cancels boolean,
       error_message text, error_code text, iteration_state jsonb, llm_provider text, llm_backend text, model_name text,
       original_llm_provider text, original_llm_backend text, original_model_name text, input_tokens bigint,
       output_tokens bigint, thinking_tokens bigint, total_tokens bigint, ${COST_COLUMNS})
  WHERE e.execution_id = r.execution_id`,
  messages: (rows) => `
  INSERT INTO messages (message_id, session_id, stage_id, execution_id, sequence_number, role, content, tool_calls,
                        tool_call_id, tool_name, provider_state, seq)
  SELECT r.message_id, fence.session_id, r.stage_id, r.execution_id, r.sequence_number, r.role, r.content, r.tool_calls,
         r.tool_call_id, r.tool_name, decode(r.provider_state, 'base64'), fence.seq
  FROM fence, json_to_recordset(${rows}::json) AS r(message_id uuid, stage_id uuid, execution_id uuid, sequence_number int,
       role message_role, content text, tool_calls jsonb, tool_call_id text, tool_name text, provider_state text)`,
  messageChanges: (rows) => `
  UPDATE messages m SET content = r.content, seq = fence.seq
  FROM fence, json_to_recordset(${rows}::json) AS r(message_id uuid, content text)
  WHERE m.message_id = r.message_id`,
  llmInteractions: (rows) => `
  INSERT INTO llm_interactions (interaction_id, session_id, stage_id, execution_id, interaction_type, model_name,
    last_message_id, llm_request, llm_response, thinking_content, input_tokens, output_tokens, thinking_tokens,
    total_tokens, cached_input_tokens, cache_write_tokens, estimated_cost_usd, price_source, duration_ms, error_message, error_code, seq)
  SELECT r.interaction_id, fence.session_id, r.stage_id, r.execution_id, r.interaction_type, r.model_name,
    r.last_message_id, r.llm_request, r.llm_response, r.thinking_content, r.input_tokens, r.output_tokens, r.thinking_tokens,
    r.total_tokens, r.cached_input_tokens, r.cache_write_tokens, r.estimated_cost_usd, r.price_source, r.duration_ms,
    r.error_message, r.error_code, fence.seq
  FROM fence, json_to_recordset(${rows}::json) AS r(interaction_id uuid, stage_id uuid, execution_id uuid,
       interaction_type llm_interaction_type, model_name text, last_message_id uuid, llm_request jsonb, llm_response jsonb,
       thinking_content text, input_tokens int, output_tokens int, thinking_tokens int, total_tokens int,
       cached_input_tokens int, cache_write_tokens int, estimated_cost_usd numeric, price_source text, duration_ms int,
       error_message text, error_code text)`,
  mcpInteractions: (rows) => `
  INSERT INTO mcp_interactions (interaction_id, session_id, stage_id, execution_id, interaction_type, server_name,
    tool_name, tool_arguments, tool_result, available_tools, duration_ms, error_message, outcome, seq)
  SELECT r.interaction_id, fence.session_id, r.stage_id, r.execution_id, r.interaction_type, r.server_name,
    r.tool_name, r.tool_arguments, r.tool_result, r.available_tools, r.duration_ms, r.error_message, r.outcome, fence.seq
  FROM fence, json_to_recordset(${rows}::json) AS r(interaction_id uuid, stage_id uuid, execution_id uuid,
       interaction_type mcp_interaction_type, server_name text, tool_name text, tool_arguments jsonb, tool_result jsonb,
       available_tools jsonb, duration_ms int, error_message text, outcome jsonb)`,
  toolResults: (rows) => `
  INSERT INTO tool_results (call_id, session_id, bytes, lines, content)
  SELECT r.call_id, fence.session_id, r.bytes, r.lines, r.content
  FROM fence, json_to_recordset(${rows}::json) AS r(call_id text, bytes int, lines int, content text)`,
  timeline: (rows) => `
  INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content,
                               metadata, llm_interaction_id, mcp_interaction_id, seq)
  SELECT r.event_id, fence.session_id, r.stage_id, r.execution_id, r.sequence_number, r.event_type, r.status, r.content,
         r.metadata, r.llm_interaction_id, r.mcp_interaction_id, fence.seq
  FROM fence, json_to_recordset(${rows}::json) AS r(event_id uuid, stage_id uuid, execution_id uuid, sequence_number int,
       event_type timeline_event_type, status timeline_status, content text, metadata jsonb, llm_interaction_id uuid,
       mcp_interaction_id uuid)`,
  timelineEnds: (rows) => `
  UPDATE timeline_events t SET status = r.status, content = r.content, updated_at = now(), seq = fence.seq,
    metadata = coalesce(r.metadata, t.metadata),
    llm_interaction_id = coalesce(r.llm_interaction_id, t.llm_interaction_id)
  FROM fence, json_to_recordset(${rows}::json) AS r(event_id uuid, status timeline_status, content text, metadata jsonb,
       llm_interaction_id uuid)
  WHERE t.event_id = r.event_id`,
  timelineLinks: (rows) => `
  UPDATE timeline_events t SET mcp_interaction_id = r.mcp_interaction_id, seq = fence.seq
  FROM fence, json_to_recordset(${rows}::json) AS r(event_id uuid, mcp_interaction_id uuid)
  WHERE t.event_id = r.event_id`,
  approvals: (rows) => `
  INSERT INTO approvals (approval_id, session_id, execution_id, call_id, tool, arguments, arguments_hash, state, expires_at)
  SELECT r.approval_id, fence.session_id, r.execution_id, r.call_id, r.tool, r.arguments, r.arguments_hash,
         'awaiting_approval', r.expires_at
  FROM fence, json_to_recordset(${rows}::json) AS r(approval_id uuid, execution_id uuid, call_id text, tool text,
       arguments text, arguments_hash text, expires_at timestamptz)`,
  approvalEnds: (rows) => `
  UPDATE approvals a SET state = 'expired', decided_at = now()
  FROM fence, json_to_recordset(${rows}::json) AS r(approval_id uuid)
  WHERE a.approval_id = r.approval_id AND a.state = 'awaiting_approval'`,
  steeringDeliveries: (rows) => `
  INSERT INTO steering_deliveries (message_id, execution_id, session_id)
  SELECT r.message_id, r.execution_id, fence.session_id
  FROM fence, json_to_recordset(${rows}::json) AS r(message_id uuid, execution_id uuid)`,
  evidenceDeliveries: (rows) => `
  INSERT INTO evidence_deliveries (execution_id, through, session_id, alerts, characters, sequence_number)
  SELECT r.execution_id, r.through, fence.session_id, r.alerts, r.characters, r.sequence_number
  FROM fence, json_to_recordset(${rows}::json) AS r(execution_id uuid, through int, alerts int, characters int, sequence_number int)`,
  ...MEMORY_PARTS,
  followUpChanges: (rows) => `
  UPDATE follow_ups f SET
    status = coalesce(r.status, f.status),
    started_at = CASE WHEN r.timeout_ms IS NULL THEN f.started_at ELSE coalesce(f.started_at, now()) END,
    deadline_at = CASE WHEN r.timeout_ms IS NULL THEN f.deadline_at
                       ELSE coalesce(f.deadline_at, now() + make_interval(secs => r.timeout_ms / 1000)) END,
    completed_at = CASE WHEN r.ends THEN now() ELSE f.completed_at END,
    error_message = CASE WHEN r.ends THEN r.error_message ELSE f.error_message END,
    error_code = CASE WHEN r.ends THEN r.error_code ELSE f.error_code END
  FROM fence, json_to_recordset(${rows}::json) AS r(follow_up_id uuid, timeout_ms float8, ends boolean, status run_status,
       error_message text, error_code text)
  WHERE f.follow_up_id = r.follow_up_id`,
  ...FOLLOW_UP_PARTS,
  ...BUDGET_PARTS,
  ...NOTIFICATION_PARTS,
  session: (row) => `
  UPDATE alert_sessions s SET
    current_stage_index = coalesce(r.current_stage_index, s.current_stage_index),
    current_stage_id = coalesce(r.current_stage_id, s.current_stage_id),
    degraded = s.degraded OR r.degraded,
    status = coalesce(r.status, s.status),
    completed_at = CASE WHEN r.status IS NULL THEN s.completed_at ELSE now() END,
    error_message = CASE WHEN r.status IS NULL THEN s.error_message ELSE r.error_message END,
    error_code = CASE WHEN r.status IS NULL THEN s.error_code ELSE r.error_code END,
    final_analysis = CASE WHEN r.status IS NULL THEN s.final_analysis ELSE r.final_analysis END,
    executive_summary = CASE WHEN r.status IS NULL THEN s.executive_summary ELSE r.executive_summary END,
    executive_summary_error = CASE WHEN r.status IS NULL THEN s.executive_summary_error ELSE r.executive_summary_error END
  FROM fence, json_to_recordset(${row}::json) AS r(current_stage_index int, current_stage_id uuid, degraded boolean,
       status session_status, error_message text, error_code text, final_analysis text, executive_summary text,
       executive_summary_error text)
  WHERE s.session_id = fence.session_id`,
};

const USAGE = modelUsageAggregates("r");
const USAGE_COLUMNS = Object.keys(USAGE);

/** What the calls add to the session's use of each model. */
const MODEL_USAGE = (calls: string) => `
  INSERT INTO session_model_usage AS u (session_id, model_name, ${USAGE_COLUMNS.join(", ")})
  SELECT fence.session_id, r.model_name, ${Object.values(USAGE).join(", ")}
  FROM fence, json_to_recordset(${calls}::json) AS r(model_name text, input_tokens int, output_tokens int,
       thinking_tokens int, total_tokens int, cached_input_tokens int, estimated_cost_usd numeric)
  GROUP BY fence.session_id, r.model_name
  ON CONFLICT (session_id, model_name) DO UPDATE SET
    ${USAGE_COLUMNS.map((name) => `${name} = u.${name} + EXCLUDED.${name}`).join(", ")}`;

const PART_NAMES: readonly (keyof StepRows)[] = [
  "stages",
  "stageEnds",
  "executions",
  "executionChanges",
  "messages",
  "messageChanges",
  "llmInteractions",
  "mcpInteractions",
  "toolResults",
  "timeline",
  "timelineEnds",
  "timelineLinks",
  "approvals",
  "approvalEnds",
  "steeringDeliveries",
  "evidenceDeliveries",
  "followUps",
  "scores",
  "scoreChanges",
  "sessionMemories",
  "newMemories",
  "memoryChanges",
  "followUpChanges",
  "budgetSettlements",
  "notifications",
  "session",
];

/**
 * Taken first by steps that change the session's own row or depend on its review, as by the api's cancel: a statement that locks both rows locks this
 * one first.
 */
const LOCK = `
locked AS MATERIALIZED (
  SELECT session_id, quality_rating FROM alert_sessions WHERE session_id = $1 FOR NO KEY UPDATE
),`;

/** The statement's parameter of the first counter. */
const FIRST_COUNTER = 12;

/** What a step adds to the counters of the session (`stepCounts`). */
const COUNTS = [
  ...SESSION_COUNTERS.map((name, index) => `${name} = r.${name} + $${FIRST_COUNTER + index}`),
  ...SESSION_FLAGS.map(
    (name, index) => `${name} = r.${name} OR $${FIRST_COUNTER + SESSION_COUNTERS.length + index}::boolean`,
  ),
];

/**
 * Fencing: the update matches only while the owner's epoch is current, the lease was not given back and no cancel was
 * requested (unless the owner closes), neither of the session nor of the follow-up $11 that the step belongs to; it locks
 * the row until the commit. Numbering: `seq` is assigned under that lock, so
 * commit order equals `seq` order; with a sequence, a reader could miss an event that commits late. Stamping: RETURNING is
 * evaluated once the row is locked, so the events' time rises with `seq`. A step also shows that the session makes progress,
 * so it resets `attempts` and `interruptions`.
 */
const fence = (isLocking: boolean) => `
fence AS (
  UPDATE session_runtime r SET
    last_seq = r.last_seq + $3,
    last_interaction_at = now(),
    attempts = 0,
    interruptions = 0,
    lease_expires_at = CASE WHEN $5::boolean THEN NULL ELSE r.lease_expires_at END,
    input_tokens = r.input_tokens + $7, output_tokens = r.output_tokens + $8,
    thinking_tokens = r.thinking_tokens + $9,
    total_tokens = r.total_tokens + $10,
    ${COUNTS.join(", ")}
  ${isLocking ? "FROM locked" : ""}
  WHERE r.session_id = ${isLocking ? "locked.session_id" : "$1"} AND r.lease_epoch = $2 AND r.lease_expires_at IS NOT NULL
    AND ($4::boolean OR r.cancel_requested_at IS NULL AND NOT coalesce($11::uuid = ANY(r.cancelled_follow_ups), false))
  RETURNING r.session_id, r.last_seq - $3 AS base, r.last_seq AS seq, r.inbox_seq,
            ${isoText("clock_timestamp()")} AS stamp
)`;

const events = (reserves: boolean) => `
event_rows AS (
  INSERT INTO events (session_id, seq, payload)
  SELECT fence.session_id, fence.base + item.ordinality::int,
         item.value::jsonb || jsonb_build_object('timestamp', fence.stamp)
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
    (name, index) => `part_${name.toLowerCase()} AS (${PARTS[name](`$${FENCE_PARAMETERS + 1 + index}`)}\n)`,
  );
  const calls = parts.indexOf("llmInteractions");
  if (calls !== -1) written.push(`model_usage AS (${MODEL_USAGE(`$${FENCE_PARAMETERS + 1 + calls}`)}\n)`);
  if (reserves) written.push(RESERVE(`$${FENCE_PARAMETERS + 1 + parts.length}`));
  return `WITH ${isLocking ? LOCK : ""}${[fence(isLocking), ...written, events(reserves)].join(",\n")}`;
}
