import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { jsonCodec } from "#shared/contracts/json-codec.ts";

/** An agent's activity. `distilling`: a large tool result is summarized; `finalizing`: the executive summary is written. */
const EXECUTION_PHASES = [
  "investigating",
  "remediating",
  "gathering_info",
  "distilling",
  "concluding",
  "synthesizing",
  "finalizing",
] as const;
export type ExecutionPhase = (typeof EXECUTION_PHASES)[number];

/** executor → notifier → clients: what an agent begins to do. It is not stored and not repeated. */
export const ExecutionProgress = Type.Object({
  type: Type.Literal("execution.progress"),
  session_id: Uuid,
  stage_id: Uuid,
  execution_id: Uuid,
  /** The agent that started this one; absent unless it is a sub-agent. */
  parent_execution_id: Type.Optional(Uuid),
  phase: literals(EXECUTION_PHASES),
  /** One short phrase for people. */
  message: Type.String({ minLength: 1, maxLength: 1_000 }),
  timestamp: Type.String({ minLength: 1 }),
});
export type ExecutionProgress = Static<typeof ExecutionProgress>;

/**
 * executor → notifier → clients: what a running tool call has reached. It is not stored and not repeated. `event_id` is the
 * call's timeline event `llm_tool_call`, which is complete already.
 */
export const ToolProgress = Type.Object({
  type: Type.Literal("tool.progress"),
  session_id: Uuid,
  execution_id: Uuid,
  event_id: Uuid,
  progress: Type.Number(),
  total: Type.Optional(Type.Number()),
  /** Masked. */
  message: Type.Optional(Type.String({ maxLength: 1_000 })),
  timestamp: Type.String({ minLength: 1 }),
});
export type ToolProgress = Static<typeof ToolProgress>;

/** Everything on the subject `tarsy.progress.*`. */
export const LiveProgress = Type.Union([ToolProgress, ExecutionProgress]);
export type LiveProgress = Static<typeof LiveProgress>;

export const liveProgressCodec = jsonCodec("live progress", LiveProgress);
