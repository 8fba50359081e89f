import { literals } from "#shared/contracts/literals.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Nullable, NullableText, Seq, SessionParams, Time } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";
import { Usd } from "../views/cost.ts";

/** The query of `GET /api/v1/sessions/:id/comparison`. */
export const ComparisonQuery = Type.Object({
  with: { ...Uuid, description: "the other session" },
});

const Count = Type.Integer({ minimum: 0 });

const Side = Type.Object(
  {
    session_id: Uuid,
    alert_preview: Type.String({ description: "as in lists" }),
    created_at: Time,
    status: literals(SESSION_STATUSES),
    chain_id: Type.String(),
    llm_providers: Type.Array(Type.String()),
    duration_ms: Nullable(Count),
    estimated_cost_usd: Nullable(Usd),
    input_tokens: Count,
    output_tokens: Count,
    total_tokens: Count,
    llm_calls: Count,
    tool_calls: Count,
    final_analysis: NullableText,
    executive_summary: NullableText,
  },
  { title: "ComparedSession" },
);

const Step = Type.Object(
  {
    interaction_id: Uuid,
    seq: Nullable(Seq),
    duration_ms: Nullable(Count),
    total_tokens: Nullable(Count),
    estimated_cost_usd: Nullable(Usd),
    text: Type.String({ description: "how the reply or the result begins" }),
    error: NullableText,
  },
  { title: "ComparedStep" },
);

const STEP_KINDS = ["llm_call", "tool_call"] as const;

const ComparedExecution = Type.Object(
  {
    path: Type.String({ description: "stage, agent and sub-agents by their numbers, as 1/2 or 1/2/1" }),
    stage_name: Type.String(),
    agent_name: Type.String(),
    a: Nullable(Uuid),
    b: Nullable(Uuid),
    steps: Type.Array(
      Type.Object({
        kind: literals(STEP_KINDS),
        name: Type.String(),
        equal: Type.Boolean(),
        a: Nullable(Step),
        b: Nullable(Step),
      }),
    ),
  },
  { title: "ComparedExecution" },
);
export type ComparedExecution = Static<typeof ComparedExecution>;

const Divergence = Type.Object(
  {
    path: Type.String(),
    agent_name: Type.String(),
    execution_a: Nullable(Uuid),
    execution_b: Nullable(Uuid),
    step: Type.Integer({ minimum: 0, description: "its place in `steps`" }),
    kind: literals(STEP_KINDS),
    part: literals(["request", "reply", "arguments", "result", "missing"]),
    seq_a: Nullable(Seq),
    seq_b: Nullable(Seq),
    pointer: Type.String({ description: "a JSON pointer into that part" }),
    text_a: NullableText,
    text_b: NullableText,
  },
  { title: "Divergence" },
);
export type Divergence = Static<typeof Divergence>;

/** `GET /api/v1/sessions/:id/comparison` */
export const ComparisonResponse = Type.Object(
  {
    a: Side,
    b: Side,
    executions: Type.Array(ComparedExecution),
    first_divergence: Nullable(Divergence),
  },
  { title: "Comparison" },
);
export type ComparisonResponse = Static<typeof ComparisonResponse>;

/** How two sessions differ. */
export const COMPARISON = {
  compareSessions: {
    method: "get",
    path: "/api/v1/sessions/:id/comparison",
    action: "trace.read",
    tag: "sessions",
    summary: "Two sessions step by step, and where they first differ",
    params: SessionParams,
    query: ComparisonQuery,
    responses: { 200: { description: "both sessions", schema: ComparisonResponse } },
  },
} as const satisfies Endpoints;
