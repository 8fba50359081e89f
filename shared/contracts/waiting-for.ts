import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";

/**
 * The reason of a wait: `gateway` (no llm-gateway answers), `provider` (the LLM provider limits the rate, is overloaded,
 * loading or unreachable), `tools` (no tool-runner lists the agent's tools), `approval` (a person must agree to a tool call),
 * `agents` (its sub-agents are at work).
 */
export const WAIT_KINDS = ["gateway", "provider", "tools", "approval", "agents"] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** The wait of an agent or a session, as stored and as shown to clients. */
export const WaitingFor = Type.Object({
  kind: literals(WAIT_KINDS),
  /** One sentence that names what is awaited, e.g. with its address. */
  reason: Type.String(),
  /** When the step first had to wait; ISO 8601, by the database's clock. */
  since: Type.String(),
  /** When the step is tried again; ISO 8601, by the database's clock. */
  until: Type.String(),
  /** True if the wait does not count against the session's deadline. It then ends by a limit of its own. */
  pauses_deadline: Type.Boolean(),
});
export type WaitingFor = Static<typeof WaitingFor>;
