import { isoText } from "#shared/database/iso-text.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { PREVIEW_HEAD } from "#shared/alert-preview.ts";
import { configOf } from "#shared/database/resolved-configs.ts";
import { plannedStageRows } from "#shared/database/session-counters.ts";
import { NEWEST_CONCLUSION } from "../conclusions/read-conclusion.ts";
import type { ShownCost } from "../views/cost.ts";
import { FAILING } from "./failing-column.ts";
import { LATEST_SCORE, SCORING_STATUS } from "./score-columns.ts";
import type { ActiveSession, SessionItem } from "./list-schemas.ts";

/** The executive summary is a stage of its own from the end of the chain's last stage on, unless there is nothing to summarize. */
const HAS_SUMMARY = `(s.executive_summary IS NOT NULL OR s.executive_summary_error IS NOT NULL
  OR (r.has_summary_stage AND s.status <> 'completed'))`;

const SHOWN_STAGES = `(r.total_stages + ${HAS_SUMMARY}::int)`;
const PLANNED_STAGES = `(SELECT count(*)::int + (count(*) FILTER (WHERE plan.stage ? 'synthesis'))::int + 1 FROM ${plannedStageRows("s")})`;

const HAS_SYNTHESIS = `EXISTS (SELECT FROM agent_executions e JOIN stages g USING (stage_id)
  WHERE g.stage_id = s.current_stage_id AND e.agent_index > g.expected_agent_count AND e.parent_execution_id IS NULL)`;

/** What a list of sessions in progress shows, by member; `s` is a row of `alert_sessions`, `r` of `session_runtime`. */
export const UNFINISHED_COLUMNS = {
  id: "s.session_id",
  alert_type: "s.alert_type",
  chain_id: "s.chain_id",
  status: "s.status",
  priority: "s.lane",
  author: "s.author",
  created_at: isoText("s.created_at"),
  started_at: isoText("s.started_at"),
  current_stage_index: `nullif(${SHOWN_STAGES}, 0)`,
  current_stage_id: "s.current_stage_id",
} as const satisfies Record<keyof typeof ActiveSession.properties, string>;

/** Stages that follow the end of a session, which its counters leave out. */
const FOLLOW_UPS = (condition: string) =>
  `(SELECT count(*)::int FROM stages f WHERE f.session_id = s.session_id AND f.stage_type IN ('chat', 'scoring')${condition})`;

/** How many stages the contract counts, as `stageCounts` in shared/contract-view. */
export const STAGE_COUNT_COLUMNS = {
  total_stages: `CASE WHEN s.completed_at IS NULL THEN greatest(${PLANNED_STAGES}, ${SHOWN_STAGES}) ELSE ${SHOWN_STAGES} + ${FOLLOW_UPS("")} END`,
  completed_stages: `r.completed_stages + (s.executive_summary IS NOT NULL)::int
    + CASE WHEN s.completed_at IS NULL THEN 0 ELSE ${FOLLOW_UPS(" AND f.status = 'completed'")} END`,
  failed_stages: `r.failed_stages + (s.executive_summary IS NULL AND (s.executive_summary_error IS NOT NULL
    OR (r.has_summary_stage AND s.status IN ('failed', 'timed_out'))))::int
    + CASE WHEN s.completed_at IS NULL THEN 0 ELSE ${FOLLOW_UPS(" AND f.status IN ('failed', 'timed_out')")} END`,
} as const;

export const TOKEN_COLUMNS = {
  input_tokens: "r.input_tokens::float8",
  output_tokens: "r.output_tokens::float8",
  total_tokens: "r.total_tokens::float8",
} as const;

/** What `costMembers` turns into members. */
export const COST_COLUMNS = {
  estimated_cost_usd: "r.estimated_cost_usd::float8",
  priced_interaction_count: "r.priced_interaction_count",
  unpriced_interaction_count: "r.unpriced_interaction_count",
} as const;
export const CostColumns = Type.Object({
  estimated_cost_usd: Type.Number(),
  priced_interaction_count: Type.Integer(),
  unpriced_interaction_count: Type.Integer(),
});

export const DURATION_COLUMN = "(extract(epoch FROM s.completed_at - s.started_at) * 1000)::int";

/** What the preview is made of: Postgres reads no more of a large alert than this. */
export const ALERT_HEAD = `left(s.alert_data, ${PREVIEW_HEAD})`;

/** A session that has ended has no open question. */
const OPEN_APPROVALS = `CASE WHEN s.completed_at IS NULL THEN (SELECT count(*)::int FROM approvals a
  WHERE a.session_id = s.session_id AND a.state = 'awaiting_approval') ELSE 0 END`;

/** As `parkedView`; null for a session that is neither parked nor asked to park. */
const PARKED = `CASE WHEN s.status IN ('pending', 'in_progress') AND r.park_by IS NOT NULL
  THEN jsonb_strip_nulls(jsonb_build_object('by', r.park_by, 'actor', r.park_actor, 'reason', r.park_reason,
    'requested_at', ${isoText("r.park_requested_at")}, 'at', ${isoText("r.parked_at")}, 'until', ${isoText("r.park_until")})) END`;

/** Who cancelled it; null if no person or program did, as for one that ends because its incident is over. */
const CANCELLED = `CASE WHEN s.status IN ('cancelling', 'cancelled') AND r.cancel_actor IS NOT NULL
  THEN jsonb_build_object('by', r.cancel_actor, 'at', ${isoText("r.cancel_requested_at")}) END`;

/** Where a session that runs is in its chain, as events count: neither syntheses nor the summary are stages of it. */
export const STAGE_PLACE = `CASE WHEN s.completed_at IS NULL AND s.current_stage_index IS NOT NULL THEN jsonb_build_object(
  'index', s.current_stage_index, 'total', (SELECT count(*) FROM ${plannedStageRows("s")}),
  'name', coalesce(${configOf("s")} -> 'stages' -> s.current_stage_index ->> 'name', ''), 'isSummarizing', ${HAS_SUMMARY}) END`;

export const StagePlace = Type.Object({
  index: Type.Integer(),
  total: Type.Integer(),
  name: Type.String(),
  isSummarizing: Type.Boolean(),
});

/** What selects the columns below, for the sessions in scope. The stage of `current_stage_id` is one of the chain. */
export const STAGE_FACTS = { has_summary: HAS_SUMMARY, has_synthesis: HAS_SYNTHESIS } as const;
export const StageFacts = Type.Object({ has_summary: Type.Boolean(), has_synthesis: Type.Boolean() });

/** The conclusion of session `s` as `c`. */
export const JOIN_CONCLUSION = `LEFT JOIN LATERAL (
  SELECT c.status, c.claims_verified, c.claims_total FROM conclusions c WHERE c.session_id = s.session_id ${NEWEST_CONCLUSION}) c ON true`;

/**
 * The members of an item but those of its cost, each as SQL over `s` (a row of `alert_sessions`), `r` (of `session_runtime`) and `c`. A later feature adds
 * its member to `SessionItem` and its column here, and every list has it.
 */
export const ITEM_COLUMNS = {
  ...UNFINISHED_COLUMNS,
  completed_at: isoText("s.completed_at"),
  duration_ms: DURATION_COLUMN,
  error_message: "s.error_message",
  executive_summary: "s.executive_summary",
  alert_preview: ALERT_HEAD,
  parked: PARKED,
  failing: FAILING,
  cancelled: CANCELLED,
  open_approvals: OPEN_APPROVALS,
  llm_interaction_count: "r.llm_interaction_count",
  mcp_interaction_count: "r.mcp_interaction_count",
  ...TOKEN_COLUMNS,
  total_stages: STAGE_COUNT_COLUMNS.total_stages,
  completed_stages: STAGE_COUNT_COLUMNS.completed_stages,
  stage_text: STAGE_PLACE,
  has_parallel_stages: "r.has_parallel_stages",
  has_sub_agents: `EXISTS (SELECT FROM agent_executions e
    WHERE e.session_id = s.session_id AND e.parent_execution_id IS NOT NULL)`,
  has_action_stages: "r.has_action_stages",
  actions_executed: `CASE WHEN r.has_action_stages
    THEN (SELECT bool_or(g.actions_executed) FROM stages g WHERE g.session_id = s.session_id) END`,
  chat_message_count: "r.chat_message_count",
  provider_fallback_count: "r.provider_fallback_count",
  matched_in_content: "false",
  latest_score: `CASE WHEN s.completed_at IS NOT NULL THEN ${LATEST_SCORE} END`,
  scoring_status: `CASE WHEN s.completed_at IS NOT NULL THEN ${SCORING_STATUS} END`,
  conclusion_status: "c.status",
  claims_verified: "c.claims_verified",
  claims_total: "c.claims_total",
  review_status: "s.review_status",
  assignee: "s.assignee",
  quality_rating: "s.quality_rating",
  action_taken: "s.action_taken",
  investigation_feedback: "s.investigation_feedback",
  feedback_edited: "s.feedback_edited",
  feedback_edited_by: "s.feedback_edited_by",
  feedback_edited_at: isoText("s.feedback_edited_at"),
} as const satisfies Record<
  Exclude<keyof typeof SessionItem.properties, keyof ShownCost | "labels" | "excerpt">,
  string
>;

/** "sql AS name, …" of columns. */
export function selectList(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(",\n  ");
}
