import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

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
