import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { TOOLS_MODES } from "#shared/contracts/recorded-tools.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Time } from "../http/common-schemas.ts";
import { Usd } from "./cost.ts";

const MAX_INSTRUCTIONS_CHARACTERS = 20_000;
const MAX_RESULT_CHARACTERS = 1_000_000;

const Nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

const Seq = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

const EditedResult = Type.Object({
  call_id: Type.Optional({ ...Uuid, description: "the id of the call" }),
  interaction_id: Type.Optional({
    ...Uuid,
    description: "in place of it, the id of its record in the trace",
  }),
  content: Type.String({ maxLength: MAX_RESULT_CHARACTERS }),
});

/** What a fork does in another way than its parent. */
export const ForkChanges = Type.Object(
  {
    llm_provider: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "of today's configuration, for all agents" }),
    ),
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "for all agents" })),
    custom_instructions: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_INSTRUCTIONS_CHARACTERS,
        description: "in place of those of all agents; an agent that has begun gets them as a message",
      }),
    ),
    max_iterations: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: "for all agents" })),
    tool_result: Type.Optional(EditedResult),
  },
  { title: "ForkChanges" },
);
export type ForkChanges = Static<typeof ForkChanges>;

/** The body of `POST /api/v1/sessions/:id/fork`. Unknown members are ignored. */
export const ForkBody = Type.Object({
  at_seq: Type.Optional({
    ...Seq,
    description: "the number of the last event of a step; by default that of the last step",
  }),
  changes: Type.Optional(ForkChanges),
  tools: Type.Optional({
    ...literals(TOOLS_MODES),
    description: "recorded (default): calls are answered from the parent's record; live: they are made",
  }),
});

/** The answer to it. */
export const ForkResponse = Type.Object({ session_id: Uuid, at_seq: Seq }, { title: "ForkAccepted" });

/** Where a session comes from, if it is a fork. */
export const ForkedFrom = Type.Object(
  { session_id: Uuid, at_seq: Seq, tools: literals(TOOLS_MODES), changes: ForkChanges },
  { title: "ForkedFrom" },
);

/** A fork of a session. */
export const Fork = Type.Object(
  {
    session_id: Uuid,
    at_seq: Seq,
    tools: literals(TOOLS_MODES),
    changes: ForkChanges,
    status: literals(SESSION_STATUSES),
    created_at: Time,
  },
  { title: "Fork" },
);

/** The end of a step, from which a session can be forked. */
const StepEnd = Type.Object(
  {
    at_seq: Seq,
    kind: literals(["llm_call", "tool_call", "listing", "conversation"]),
    name: Type.String(),
    execution_id: Uuid,
    agent_name: Type.String(),
  },
  { title: "StepEnd" },
);

/** `GET /api/v1/sessions/:id/steps` */
export const StepsResponse = Type.Object({ steps: Type.Array(StepEnd) }, { title: "Steps" });

/** The query of `GET /api/v1/sessions/:id/comparison`. */
export const ComparisonQuery = Type.Object({
  with: { ...Uuid, description: "the other session" },
});

const Count = Type.Integer({ minimum: 0 });
const NullableText = Nullable(Type.String());

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
