import { CHAIN_STAGE_TYPES } from "#shared/contracts/statuses.ts";
import { BUILT_IN_SERVER } from "#shared/contracts/tool-names.ts";
import { modelUsageAggregates } from "#shared/database/cost-sums.ts";

/** Columns of a table's past that follow from rows which came later. `t` is the row of now, `past` has what was kept. */
interface DerivedPast {
  /** The value of each, in SQL. */
  readonly columns: Readonly<Record<string, string>>;
  /** What the values need beside the row, in SQL: of each, one row. */
  readonly from?: readonly string[];
}
/** `schema` is a quoted identifier, and `seq` the moment's number in SQL. */
type Derive = (schema: string, seq: string) => DerivedPast;

const USAGE = modelUsageAggregates("i");
/** These calls are stored with an execution, and are none of its iterations. */
const NO_ITERATION = "('summarization', 'executive_summary')";
const IS_OF_CHAIN = `g.stage_type IN (${CHAIN_STAGE_TYPES.map((type) => `'${type}'`).join(", ")})`;

/** Rows without a number are as old as their session. */
export const isBorn = (number: string, seq: string): string => `coalesce(${number}, 0) <= ${seq}`;

/** The columns as they are now, but `before` as long as what changed them was later. */
const unless = (isLater: string, names: readonly string[], before = "NULL") =>
  Object.fromEntries(names.map((name) => [name, `CASE WHEN ${isLater} THEN ${before} ELSE t.${name} END`]));

/** Sums of calls are those of now without the later calls. */
const WITHOUT_LATER = Object.fromEntries(
  Object.keys(USAGE).map((name) => [name, `t.${name} - calls.${name}`]),
);
const CALLS = Object.entries(USAGE).map(([name, sum]) => `${sum} AS ${name}`);
const laterCalls = (schema: string, seq: string, of: string): string => `LATERAL (
  SELECT ${CALLS.join(", ")}, count(*)::int AS count,
    count(*) FILTER (WHERE i.interaction_type NOT IN ${NO_ITERATION})::int AS iterations
  FROM ${schema}.llm_interactions i WHERE ${of} AND i.seq > ${seq}) calls`;

/** Counters as `services/executor/persist/step-counts.ts`. Where events are purged, `last_seq` is the moment's number itself. */
const runtime: Derive = (schema, seq) => ({
  columns: {
    ...WITHOUT_LATER,
    ...unless(
      `t.last_seq > ${seq}`,
      ["last_seq"],
      `CASE WHEN t.events_purged_at IS NULL THEN coalesce(moment.seq, 0) ELSE ${seq} END`,
    ),
    ...unless(`t.last_seq > ${seq}`, ["last_interaction_at"], "moment.at"),
    llm_interaction_count: "t.llm_interaction_count - calls.count",
    mcp_interaction_count: `t.mcp_interaction_count - (SELECT count(*)::int FROM ${schema}.mcp_interactions i
      WHERE i.session_id = t.session_id AND i.seq > ${seq}
        AND NOT (i.interaction_type = 'tool_list' AND i.server_name = '${BUILT_IN_SERVER}'))`,
    provider_fallback_count: `t.provider_fallback_count - (SELECT count(*)::int FROM ${schema}.timeline_events e
      WHERE e.session_id = t.session_id AND e.first_seq > ${seq} AND e.event_type = 'provider_fallback')`,
    total_stages: "t.total_stages - stages.begun - syntheses.begun",
    completed_stages: "t.completed_stages - stages.completed - syntheses.begun",
    failed_stages: "t.failed_stages - stages.failed",
    has_parallel_stages: "t.has_parallel_stages AND stages.is_parallel IS NOT FALSE",
    has_action_stages: "t.has_action_stages AND stages.is_action IS NOT FALSE",
    has_summary_stage: "t.has_summary_stage AND stages.is_open IS NOT TRUE",
  },
  from: [
    laterCalls(schema, seq, "i.session_id = t.session_id"),
    `LATERAL (
  SELECT count(*) FILTER (WHERE g.seq > ${seq})::int AS begun, bool_or(g.ended_seq > ${seq}) AS is_open,
    count(*) FILTER (WHERE g.ended_seq > ${seq} AND g.status = 'completed')::int AS completed,
    count(*) FILTER (WHERE g.ended_seq > ${seq} AND g.status IN ('failed', 'timed_out'))::int AS failed,
    bool_or(g.parallel_type IS NOT NULL AND ${isBorn("g.seq", seq)}) AS is_parallel,
    bool_or(g.stage_type = 'action' AND ${isBorn("g.seq", seq)}) AS is_action
  FROM ${schema}.stages g WHERE g.session_id = t.session_id AND ${IS_OF_CHAIN}) stages`,
    `LATERAL (
  SELECT count(*)::int AS begun FROM ${schema}.agent_executions e JOIN ${schema}.stages g USING (stage_id)
  WHERE e.session_id = t.session_id AND e.seq > ${seq} AND ${IS_OF_CHAIN}
    AND e.parent_execution_id IS NULL AND e.agent_index > g.expected_agent_count) syntheses`,
    newestCommit(schema, seq),
  ],
});

/** The last event of the newest commit by then; the events of one commit have the same time. */
const newestCommit = (schema: string, seq: string): string => `LATERAL (
  SELECT max(e.seq) AS seq, max(e.created_at) AS at FROM (
    SELECT e.seq, e.created_at FROM ${schema}.events e WHERE e.session_id = t.session_id AND e.seq <= ${seq} AND NOT EXISTS (
      SELECT FROM ${schema}.events n WHERE n.session_id = e.session_id AND n.seq = e.seq + 1 AND n.created_at = e.created_at)
    ORDER BY e.seq DESC LIMIT 1) e) moment`;

const ENDING = ["completed_at", "duration_ms", "error_message", "error_code", "ended_seq"];

const stages: Derive = (_schema, seq) => ({
  columns: {
    ...unless(`t.ended_seq > ${seq}`, ["status"], "'active'"),
    ...unless(`t.ended_seq > ${seq}`, [...ENDING, "actions_executed", "actions_claimed"]),
  },
});

/** The current stage is the one of the chain that began last. */
const sessions: Derive = (schema, seq) => ({
  columns: { current_stage_index: "stage.stage_index", current_stage_id: "stage.stage_id" },
  from: [
    `LATERAL (
  SELECT max(g.stage_index) AS stage_index, (array_agg(g.stage_id ORDER BY g.stage_index DESC))[1] AS stage_id
  FROM ${schema}.stages g WHERE g.session_id = t.session_id AND ${IS_OF_CHAIN} AND ${isBorn("g.seq", seq)}) stage`,
  ],
});

const executions: Derive = (schema, seq) => {
  const isOpen = `t.ended_seq > ${seq}`;
  const isPending = `(t.started_seq > ${seq} OR t.started_seq IS NULL AND ${isOpen})`;
  const iteration = "(t.iteration_state ->> 'iteration')::int - calls.iterations";
  return {
    columns: {
      ...WITHOUT_LATER,
      ...unless(isOpen, ENDING),
      ...unless(isPending, ["started_at", "started_seq"]),
      status: `CASE WHEN ${isPending} THEN 'pending' WHEN ${isOpen} THEN 'active' ELSE t.status END`,
      iteration_state: `coalesce(jsonb_set(past.iteration_state, '{iteration}', to_jsonb(${iteration})), past.iteration_state)`,
    },
    from: [laterCalls(schema, seq, "i.execution_id = t.execution_id")],
  };
};

/** A row is written twice at most: what is streamed ends, and a call is linked to its result. */
const timeline: Derive = (_schema, seq) => {
  const isWritten = `t.seq > ${seq}`;
  const isStreaming = `${isWritten} AND t.mcp_interaction_id IS NULL`;
  return {
    columns: {
      ...unless(isStreaming, ["status"], "'streaming'"),
      ...unless(isStreaming, ["content"], "''"),
      ...unless(isStreaming, ["updated_at"], "t.created_at"),
      ...unless(isStreaming, ["llm_interaction_id"]),
      ...unless(isWritten, ["mcp_interaction_id"]),
      ...unless(isWritten, ["seq"], "t.first_seq"),
    },
  };
};

/** By table. */
export const DERIVED_PAST: Readonly<Record<string, Derive>> = {
  alert_sessions: sessions,
  session_runtime: runtime,
  stages,
  agent_executions: executions,
  timeline_events: timeline,
};
