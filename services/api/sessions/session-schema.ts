import { SHOWN_STAGE_TYPES } from "#shared/contract-view/shown-stages.ts";
import { CONCLUSION_STATUSES } from "#shared/contracts/conclusion.ts";
import { literals } from "#shared/contracts/literals.ts";
import { TOOLS_MODES } from "#shared/contracts/recorded-tools.ts";
import { ITERATION_STRATEGIES } from "#shared/contracts/resolved-chain.ts";
import { QUALITY_RATINGS, REVIEW_STATUSES } from "#shared/contracts/review.ts";
import { Score, ScoreStatus } from "#shared/contracts/scoring.ts";
import {
  PARALLEL_TYPES,
  RUN_STATUSES,
  SESSION_STATUSES,
  SUCCESS_POLICIES,
  TIMELINE_EVENT_TYPES,
  TIMELINE_STATUSES,
} from "#shared/contracts/statuses.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { WaitingFor } from "#shared/contracts/iteration-state.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { TSchema } from "typebox";
import { BudgetView } from "../budgets/contract.ts";
import { Fork, ForkedFrom } from "../forks/contract.ts";
import { AnyObject, Time } from "../http/common-schemas.ts";
import { AlertGroup } from "../incidents/contract.ts";
import { Parked } from "../parking/contract.ts";
import { Failing, Cancelled } from "./list-schemas.ts";
import { UnreadSteering } from "../steering/contract.ts";
import { CostMembers } from "../views/cost.ts";

const Count = Type.Integer({ minimum: 0 });
const Text = Type.Optional(Type.String());
const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const NullableText = Nullable(Type.String());
const NullableTime = Nullable(Time);
const OptionalTime = Type.Optional(Time);
const Tokens = { input_tokens: Count, output_tokens: Count, thinking_tokens: Count, total_tokens: Count };

const ExecutionMembers = {
  execution_id: Uuid,
  stage_id: Uuid,
  session_id: Type.Optional(Uuid),
  agent_name: Type.String(),
  agent_index: Type.Integer({ minimum: 1 }),
  status: literals(RUN_STATUSES),
  started_at: NullableTime,
  completed_at: NullableTime,
  duration_ms: Nullable(Count),
  error_message: Nullable(Type.String()),
  error_code: Text,
  iteration_strategy: Type.Optional(literals(ITERATION_STRATEGIES)),
  iterations: Type.Optional(Count),
  llm_provider: Nullable(Type.String()),
  llm_backend: Type.String({ description: "empty before the first call" }),
  model_name: Text,
  original_llm_provider: Text,
  original_llm_backend: Text,
  original_model_name: Text,
  fallback_reason: Text,
  fallback_error_code: Text,
  fallback_attempt: Type.Optional(Type.Integer()),
  ...Tokens,
  ...CostMembers,
  seq: Type.Optional(Count),
};

/** An execution that an agent has started. */
const SubAgent = Type.Object(
  {
    ...ExecutionMembers,
    parent_execution_id: Uuid,
    task: Type.Optional(Type.String({ description: "what it was asked to do" })),
    delivered_at: OptionalTime,
    cancel_requested_at: OptionalTime,
  },
  { title: "SubAgent" },
);

const Execution = Type.Object(
  {
    ...ExecutionMembers,
    sub_agents: Type.Optional(
      Type.Array(SubAgent, {
        description:
          "the agents that it has started; its tokens and costs include theirs. Absent without any",
      }),
    ),
  },
  { title: "Execution" },
);

const Stage = Type.Object(
  {
    id: Uuid,
    stage_id: Uuid,
    session_id: Uuid,
    stage_name: Type.String(),
    stage_index: Type.Integer({ minimum: 1, description: "over all shown stages" }),
    stage_type: literals(SHOWN_STAGE_TYPES),
    status: literals(RUN_STATUSES),
    referenced_stage_id: Type.Optional(Uuid),
    parallel_type: Nullable(literals(PARALLEL_TYPES)),
    expected_agent_count: Count,
    success_policy: Type.Optional(literals(SUCCESS_POLICIES)),
    actions_executed: Type.Optional(Type.Boolean()),
    actions_claimed: Type.Optional(Type.Boolean()),
    actions_mismatch: Type.Optional(Type.Literal(true)),
    started_at: NullableTime,
    completed_at: NullableTime,
    duration_ms: Nullable(Count),
    error_message: Text,
    error_code: Text,
    executions: Type.Array(Execution),
  },
  { title: "Stage" },
);

/** An entry of the timeline, with its row's members. */
export const TimelineItem = Type.Object(
  {
    event_id: Uuid,
    session_id: Uuid,
    stage_id: Uuid,
    execution_id: Uuid,
    parent_execution_id: Type.Optional(Uuid),
    sequence_number: Type.Integer({ minimum: 1 }),
    created_at: Time,
    updated_at: Time,
    event_type: literals(TIMELINE_EVENT_TYPES),
    status: literals(TIMELINE_STATUSES),
    content: Type.String(),
    metadata: Type.Optional(AnyObject),
    llm_interaction_id: Type.Optional(Uuid),
    mcp_interaction_id: Type.Optional(Uuid),
    seq: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { title: "TimelineEvent" },
);

const OverviewMembers = {
  id: Uuid,
  alert_data: Type.String(),
  agent_type: Type.String(),
  alert_type: NullableText,
  status: literals(SESSION_STATUSES),
  priority: literals(SESSION_LANES),
  created_at: Time,
  started_at: NullableTime,
  completed_at: NullableTime,
  duration_ms: Nullable(Count),
  error_message: NullableText,
  error_code: Text,
  final_analysis: NullableText,
  executive_summary: NullableText,
  executive_summary_error: NullableText,
  session_metadata: Type.Optional(AnyObject),
  author: NullableText,
  owner_subject: Text,
  teams: Type.Optional(Type.Array(Type.String())),
  runbook_url: NullableText,
  alert_preview: Type.Optional(Type.String({ description: "as in lists" })),
  mcp_selection: Type.Optional(AnyObject),
  chain_id: Type.String(),
  config_hash: Type.String(),
  current_stage_index: Nullable(Type.Integer({ minimum: 1 })),
  current_stage_id: Nullable(Uuid),
  pod_id: Text,
  slack_message_fingerprint: Text,
  degraded: Type.Boolean(),
  review_status: Nullable(literals(REVIEW_STATUSES)),
  assignee: NullableText,
  assigned_at: OptionalTime,
  quality_rating: Nullable(literals(QUALITY_RATINGS)),
  action_taken: NullableText,
  investigation_feedback: NullableText,
  feedback_edited: Type.Boolean(),
  feedback_edited_by: NullableText,
  feedback_edited_at: NullableTime,
  waiting_for: Type.Optional(WaitingFor),
  parked: Type.Optional(Parked),
  failing: Type.Optional(Failing),
  cancelled: Type.Optional(Cancelled),
  last_interaction_at: OptionalTime,
  input_tokens: Count,
  output_tokens: Count,
  thinking_tokens: Count,
  total_tokens: Count,
  last_seq: Type.Optional(Count),
  events_purged_at: OptionalTime,
  cost_estimation_enabled: Type.Boolean(),
  ...CostMembers,
  has_action_stages: Type.Boolean(),
  actions_executed: Nullable(Type.Boolean()),
  has_parallel_stages: Type.Boolean(),
  total_stages: Count,
  completed_stages: Count,
  failed_stages: Count,
  llm_interaction_count: Count,
  mcp_interaction_count: Count,
  chat_enabled: Type.Boolean(),
  chat_id: Nullable(Uuid),
  chat_message_count: Count,
  latest_score: Nullable(Score),
  scoring_status: Nullable(ScoreStatus),
  score_id: Nullable(Uuid),
  conclusion_status: Type.Optional(literals(CONCLUSION_STATUSES)),
  claims_verified: Type.Optional(
    Type.With(Count, { description: "of `claims_total`; absent without a conclusion" }),
  ),
  claims_total: Type.Optional(Count),
  edges: Type.Object({}),
  tools_mode: {
    ...literals(TOOLS_MODES),
    description: "whether its tool calls are made, or answered from a record",
  },
  forked_from: Nullable(ForkedFrom),
  forks: Type.Array(Fork, { description: "those that the caller may see, oldest first, at most 100" }),
  may_fork: Type.Boolean({ description: "whether the caller may fork it" }),
  may_change: Type.Boolean({
    description:
      "whether the caller may cancel the session or an answer, review it, have it scored, and write to its agents",
  }),
  may_ask: Type.Boolean({
    description: "whether the caller's role allows to ask about it, where `chat_enabled`",
  }),
  memory_enabled: Type.Boolean({ description: "whether the configuration has memory switched on" }),
  budgets: Type.Array(BudgetView, {
    description: "its own, and of its chain, its teams and the day those whose use the caller may know",
  }),
  unread_messages: Type.Array(UnreadSteering, {
    description: "what people told the agents and not all of them have read; at most 50",
  }),
  approvals: Type.Array(
    Type.Object({ approval_id: Uuid, execution_id: Uuid, tool: Type.String(), expires_at: Time }),
  ),
  alert_group: Type.Optional({
    ...AlertGroup,
    description: "the alerts of its incident; absent where alerts like its own are not grouped",
  }),
  reopened_from: Type.Optional({
    ...Uuid,
    description: "the session of the same incident that ended before, which its agents are told of",
  }),
  provider_fallback_count: Count,
  stages: Type.Array(Stage),
};

/** `GET /api/v1/sessions/:id/overview` */
export const SessionOverviewResponse = Type.Object(OverviewMembers, { title: "SessionOverview" });

/** `GET /api/v1/sessions/:id` */
export const SessionResponse = Type.Object(
  { ...OverviewMembers, timeline: Type.Array(TimelineItem) },
  { title: "Session" },
);
