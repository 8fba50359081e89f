import { literals } from "#shared/contracts/literals.ts";
import { TOOLS_MODES } from "#shared/contracts/recorded-tools.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Seq, SessionParams, Time } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

const MAX_INSTRUCTIONS_CHARACTERS = 20_000;
const MAX_RESULT_CHARACTERS = 1_000_000;

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

const ForkResponse = Type.Object({ session_id: Uuid, at_seq: Seq }, { title: "ForkAccepted" });

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

const StepsResponse = Type.Object({ steps: Type.Array(StepEnd) }, { title: "Steps" });

/** Sessions that go on from a point of another one. */
export const FORKS = {
  forkSession: {
    method: "post",
    path: "/api/v1/sessions/:id/fork",
    action: "session.fork",
    tag: "sessions",
    summary:
      "Investigate again from the end of a step, with another model, instruction, limit or tool result",
    params: SessionParams,
    body: {
      schema: ForkBody,
      example: { at_seq: 42, changes: { llm_provider: "gemini-flash" }, tools: "recorded" },
    },
    responses: { 202: { description: "the fork runs soon", schema: ForkResponse } },
    errors: [409, 422],
  },
  getSteps: {
    method: "get",
    path: "/api/v1/sessions/:id/steps",
    action: "session.read",
    tag: "sessions",
    summary: "The ends of the steps from which a session can be forked",
    params: SessionParams,
    responses: { 200: { description: "the steps, in order", schema: StepsResponse } },
  },
} as const satisfies Endpoints;
