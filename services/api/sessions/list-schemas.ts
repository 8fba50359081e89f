import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { CONCLUSION_STATUSES } from "#shared/contracts/conclusion.ts";
import { literals } from "#shared/contracts/literals.ts";
import { QUALITY_RATINGS, REVIEW_STATUSES } from "#shared/contracts/review.ts";
import { Score, ScoreStatus } from "#shared/contracts/scoring.ts";
import { SEARCH_LENGTH } from "#shared/contracts/search-length.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { MAX_LABEL_VALUE, MAX_ROW_LABELS } from "#shared/alert-labels.ts";
import { MAX_PREVIEW } from "#shared/alert-preview.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { CostMembers } from "../views/cost.ts";
import { Parked } from "../parking/contract.ts";
import { SCORING_FILTERS, SESSION_STATES, SORT_KEYS, SORT_ORDERS } from "./list-query.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const CountOrNull = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]);
const Count = Type.Integer({ minimum: 0 });
/** RFC 3339 in UTC, with milliseconds. */
const Time = Type.String();
const TimeOrNull = Type.Union([Time, Type.Null()]);

/** The line in which a search found its term. */
export const Excerpt = Type.Object(
  { before: Type.String(), match: Type.String(), after: Type.String() },
  { title: "Excerpt", description: "a line with the term of the search, at most 90 characters on each side" },
);
export type Excerpt = Static<typeof Excerpt>;

/** Of a session that runs and gets nowhere: one of its agents, that with the most failed calls. */
export const Failing = Type.Object(
  {
    what: Type.Enum(["provider", "gateway", "tools"], {
      description:
        "`provider`: its LLM provider fails or cannot be reached; `gateway`: no llm-gateway answers; `tools`: no tool-runner answers",
    }),
    provider: Type.String({ description: "the LLM provider of the agent" }),
    reason: Type.String({ description: "the last error, at most 300 characters" }),
    tries: Type.Optional(
      Type.Integer({ minimum: 1, description: "calls of the model that failed in a row" }),
    ),
    next_at: Type.Optional(Type.String({ description: "when it tries again; absent: within 30 s" })),
  },
  { title: "Failing" },
);
export type Failing = Static<typeof Failing>;

/** Of a session that a person cancelled, or is cancelling. */
export const Cancelled = Type.Object(
  { by: Type.String({ description: "the name of the person or program" }), at: Time },
  { title: "Cancelled" },
);

/** A session in a list. */
export const SessionItem = Type.Object(
  {
    id: Uuid,
    alert_type: TextOrNull,
    chain_id: Type.String(),
    status: literals(SESSION_STATUSES),
    priority: literals(SESSION_LANES),
    author: TextOrNull,
    created_at: Time,
    started_at: TimeOrNull,
    completed_at: TimeOrNull,
    duration_ms: CountOrNull,
    error_message: TextOrNull,
    executive_summary: TextOrNull,
    alert_preview: Type.String({
      maxLength: MAX_PREVIEW,
      description:
        "the title of the alert if it is JSON or YAML with one near its beginning, else its first line",
    }),
    labels: Type.Array(
      Type.Object({ name: Type.String(), value: Type.String({ maxLength: MAX_LABEL_VALUE }) }),
      { maxItems: MAX_ROW_LABELS, description: "labels of the alert, those that its chain names" },
    ),
    parked: Type.Optional(Parked),
    failing: Type.Optional(Failing),
    cancelled: Type.Optional(Cancelled),
    open_approvals: Type.Integer({ minimum: 0, description: "tool calls that wait for a person's decision" }),
    llm_interaction_count: Count,
    mcp_interaction_count: Count,
    input_tokens: Count,
    output_tokens: Count,
    total_tokens: Count,
    estimated_cost_usd: CostMembers.estimated_cost_usd,
    cost_completeness: CostMembers.cost_completeness,
    total_stages: Count,
    completed_stages: Count,
    stage_text: Type.Optional(
      Type.String({
        description: "where a session that runs is in its chain, for people, as events of progress begin",
      }),
    ),
    has_parallel_stages: Type.Boolean(),
    has_sub_agents: Type.Boolean(),
    has_action_stages: Type.Boolean(),
    actions_executed: Type.Union([Type.Boolean(), Type.Null()]),
    chat_message_count: Count,
    provider_fallback_count: Count,
    current_stage_index: CountOrNull,
    current_stage_id: TextOrNull,
    matched_in_content: Type.Boolean({
      description: "the words of the search are in the session's timeline",
    }),
    excerpt: Type.Optional(Excerpt),
    latest_score: Type.Union([Score, Type.Null()]),
    scoring_status: Type.Union([ScoreStatus, Type.Null()]),
    conclusion_status: {
      ...Type.Union([literals(CONCLUSION_STATUSES), Type.Null()]),
      description: "of the session's conclusion, once its quotes were compared; null without one",
    },
    claims_verified: CountOrNull,
    claims_total: CountOrNull,
    review_status: Type.Union([literals(REVIEW_STATUSES), Type.Null()]),
    assignee: TextOrNull,
    quality_rating: Type.Union([literals(QUALITY_RATINGS), Type.Null()]),
    action_taken: TextOrNull,
    investigation_feedback: TextOrNull,
    feedback_edited: Type.Boolean(),
    feedback_edited_by: TextOrNull,
    feedback_edited_at: TimeOrNull,
  },
  { title: "SessionItem" },
);
export type SessionItem = Static<typeof SessionItem>;

const MANY = "one, or several with commas";

/** The query of `GET /api/v1/sessions`. */
export const SessionListQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
  sort_by: Type.Optional(literals(SORT_KEYS)),
  sort_order: Type.Optional(literals(SORT_ORDERS)),
  status: Type.Optional(Type.String({ description: `${MANY}: ${SESSION_STATUSES.join(", ")}` })),
  priority: Type.Optional(Type.String({ description: `${MANY}: ${SESSION_LANES.join(", ")}` })),
  alert_type: Type.Optional(Type.String()),
  chain_id: Type.Optional(Type.String()),
  state: Type.Optional(
    Type.String({
      description: `${MANY}: ${SESSION_STATES.join(", ")}; only those that stand like this; all but \`parked\` need a person`,
    }),
  ),
  author: Type.Optional(Type.String()),
  assignee: Type.Optional(Type.String()),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SEARCH_LENGTH.maxCharacters,
      description: `a part of the alert or of the final analysis, or words of the timeline; at least ${SEARCH_LENGTH.minBytes} bytes in UTF-8`,
    }),
  ),
  start_date: Type.Optional(Type.String({ description: "RFC 3339; created then or later" })),
  end_date: Type.Optional(Type.String({ description: "RFC 3339; created before" })),
  scoring_status: Type.Optional(literals(SCORING_FILTERS)),
  review_status: Type.Optional(Type.String({ description: `${MANY}: ${REVIEW_STATUSES.join(", ")}` })),
  quality_rating: Type.Optional(literals(QUALITY_RATINGS)),
});

/** `GET /api/v1/sessions` */
export const SessionListResponse = Type.Object({
  sessions: Type.Array(SessionItem),
  pagination: Type.Object({
    page: Type.Integer({ minimum: 1 }),
    page_size: Type.Integer({ minimum: 1, maximum: 100 }),
    total_pages: Count,
    total_items: Count,
    total_is_capped: Type.Optional(
      Type.Literal(true, { description: "there are more sessions than total_items says" }),
    ),
  }),
  cost_estimation_enabled: Type.Boolean(),
});

const Unfinished = {
  id: Uuid,
  alert_type: TextOrNull,
  chain_id: Type.String(),
  status: literals(SESSION_STATUSES),
  priority: literals(SESSION_LANES),
  author: TextOrNull,
  created_at: Time,
};
export const ActiveSession = Type.Object({
  ...Unfinished,
  started_at: TimeOrNull,
  current_stage_index: CountOrNull,
  current_stage_id: TextOrNull,
});
export const QueuedSession = Type.Object({
  ...Unfinished,
  lane: literals(SESSION_LANES),
  queue_position: Type.Integer({ minimum: 1 }),
});

/** `GET /api/v1/sessions/active` */
export const ActiveSessionsResponse = Type.Object({
  active: Type.Array(ActiveSession),
  queued: Type.Array(QueuedSession),
});

/** `GET /api/v1/sessions/queued` */
export const QueuedSessionsResponse = Type.Object({ queued: Type.Array(QueuedSession) });

/** `GET /api/v1/sessions/filter-options` */
export const FilterOptionsResponse = Type.Object({
  alert_types: Type.Array(Type.String()),
  chain_ids: Type.Array(Type.String()),
  authors: Type.Array(Type.String()),
  statuses: Type.Array(literals(SESSION_STATUSES)),
});

/** `GET /api/v1/sessions/:id/status` */
export const SessionStatusResponse = Type.Object({
  id: Uuid,
  status: literals(SESSION_STATUSES),
  final_analysis: TextOrNull,
  executive_summary: TextOrNull,
  error_message: TextOrNull,
});

/** `GET /api/v1/sessions/:id/summary` */
export const SessionSummaryResponse = Type.Object({
  session_id: Uuid,
  status: literals(SESSION_STATUSES),
  total_interactions: Count,
  llm_interactions: Count,
  mcp_interactions: Count,
  input_tokens: Count,
  output_tokens: Count,
  total_tokens: Count,
  cost_estimation_enabled: Type.Boolean(),
  ...CostMembers,
  total_duration_ms: CountOrNull,
  chain_statistics: Type.Object(
    {
      total_stages: Count,
      completed_stages: Count,
      failed_stages: Count,
      current_stage_index: CountOrNull,
    },
    { description: "as in the session" },
  ),
  total_score: Type.Optional(Type.With(Score, { description: "of the newest scoring that completed" })),
  scoring_status: Type.Optional(Type.With(ScoreStatus, { description: "of the newest scoring" })),
  chat_message_count: Count,
  provider_fallback_count: Count,
});
