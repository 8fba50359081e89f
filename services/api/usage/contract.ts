import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import type { TSchema } from "typebox";
import { BudgetView } from "../budgets/contract.ts";
import type { Endpoints } from "../http/endpoint.ts";
import { CostMembers } from "../views/cost.ts";
import { RANKINGS, USAGE_GROUPS } from "./usage-query.ts";

/** RFC 3339 in UTC, with milliseconds. */
const Time = Type.String();
const Count = Type.Integer({ minimum: 0 });
const Tokens = { input_tokens: Count, output_tokens: Count, total_tokens: Count };
const { estimated_cost_usd, cost_completeness, unpriced_interaction_count } = CostMembers;
const average_cost_usd = Type.Optional(
  Type.Number({ minimum: 0, description: "estimated_cost_usd by session_count" }),
);
const Cost = { estimated_cost_usd, average_cost_usd };

const groups = <P extends Readonly<Record<string, TSchema>>>(title: string, key: P) =>
  Type.Array(Type.Object({ ...key, session_count: Count, total_tokens: Count, ...Cost }, { title }));

const Window = {
  start_date: Type.String({ description: "RFC 3339; sessions that were created then or later" }),
  end_date: Type.String({
    description: "RFC 3339; sessions that were created before; at most 365 days later",
  }),
  alert_type: Type.Optional(Type.String()),
  chain_id: Type.Optional(Type.String()),
  rank_by: Type.Optional(literals(RANKINGS)),
};

const UsageQuery = Type.Object(Window);

const DailyUsageQuery = Type.Object({
  ...Window,
  by: Type.Optional(
    Type.With(literals(USAGE_GROUPS), { description: "what the groups are", default: "alert_type" }),
  ),
});

/** `GET /api/v1/usage/summary`. The members of costs are absent while costs are not estimated, and sums where nothing has a price. */
export const UsageSummaryResponse = Type.Object({
  cost_estimation_enabled: Type.Boolean(),
  window: Type.Object({ start: Time, end: Time }),
  rank_by: literals(RANKINGS),
  totals: Type.Object({
    session_count: Count,
    ...Tokens,
    ...Cost,
    cost_completeness,
    unpriced_interaction_count,
    unpriced_token_count: Type.Optional(Count),
  }),
  by_model: Type.Array(
    Type.Object(
      {
        model_name: Type.String(),
        session_count: Count,
        ...Tokens,
        ...Cost,
        priced: Type.Optional(Type.Boolean({ description: "some of its calls have a price" })),
        unpriced_interaction_count,
      },
      { title: "UsageOfModel" },
    ),
  ),
  by_alert_type: groups("UsageOfAlertType", { alert_type: Type.String() }),
  by_chain: groups("UsageOfChain", { chain_id: Type.String() }),
  budgets: Type.Array(BudgetView, {
    description: "of chains, teams and the day, in the period that runs: those whose use the caller may know",
  }),
  top_sessions: Type.Array(
    Type.Object(
      {
        session_id: Uuid,
        alert_type: Type.Union([Type.String(), Type.Null()]),
        chain_id: Type.String(),
        alert_preview: Type.String({ description: "as in lists" }),
        total_tokens: Count,
        estimated_cost_usd,
        cost_completeness,
        created_at: Time,
      },
      { title: "UsageOfSession" },
    ),
    { maxItems: 20 },
  ),
});
export type UsageSummary = Static<typeof UsageSummaryResponse>;

/** How the sessions of a day ended; `unfinished` have not. */
const Outcomes = Type.Object(
  { completed: Count, failed: Count, timed_out: Count, cancelled: Count, unfinished: Count },
  { title: "Outcomes" },
);

const Milliseconds = Type.Number({ minimum: 0 });

/** `GET /api/v1/usage/days`. Members of costs are absent as in the summary. */
export const DailyUsageResponse = Type.Object({
  cost_estimation_enabled: Type.Boolean(),
  window: Type.Object({ start: Time, end: Time }),
  rank_by: literals(RANKINGS),
  by: literals(USAGE_GROUPS),
  groups: Type.Array(Type.String(), {
    maxItems: 6,
    description: "the names of the largest groups of the window, largest first",
  }),
  days: Type.Array(
    Type.Object(
      {
        day: Type.String({
          description: "of the creation in UTC, such as 2026-01-31; days without sessions are absent",
        }),
        session_count: Count,
        outcomes: Outcomes,
        duration_ms: Type.Union([
          Type.Object(
            { median: Milliseconds, p95: Milliseconds },
            { description: "from start to end, of ended sessions" },
          ),
          Type.Null(),
        ]),
        ...Tokens,
        estimated_cost_usd,
        cost_completeness,
        unpriced_interaction_count,
        groups: Type.Array(
          Type.Object(
            {
              name: Type.Union([Type.String(), Type.Null()], {
                description: "null for all groups that are not among `groups`",
              }),
              session_count: Count,
              total_tokens: Count,
              estimated_cost_usd,
            },
            { title: "UsageOfGroup" },
          ),
          { maxItems: 7 },
        ),
      },
      { title: "UsageOfDay" },
    ),
    { maxItems: 366 },
  ),
});
export type DailyUsage = Static<typeof DailyUsageResponse>;

/** What sessions have used. */
export const USAGE = {
  getUsageSummary: {
    method: "get",
    path: "/api/v1/usage/summary",
    action: "session.read",
    tag: "usage",
    summary: "Tokens and costs of the sessions that were created in a window, by model, alert type and chain",
    query: UsageQuery,
    responses: {
      200: { description: "at most 500 groups of each kind, 20 sessions", schema: UsageSummaryResponse },
    },
  },
  getDailyUsage: {
    method: "get",
    path: "/api/v1/usage/days",
    action: "session.read",
    tag: "usage",
    summary: "Tokens, costs, outcomes and durations of the same sessions by the day of their creation",
    query: DailyUsageQuery,
    responses: {
      200: { description: "the days that have sessions, in order", schema: DailyUsageResponse },
    },
  },
} as const satisfies Endpoints;
