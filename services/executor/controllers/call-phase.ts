import type { ExecutionPhase } from "#shared/contracts/execution-progress.ts";
import { isActionAgent } from "#shared/contracts/resolved-chain.ts";
import type { AgentState, CallLlm } from "../core/agent-state.ts";

const MESSAGES = {
  investigating: "Investigating",
  remediating: "Deciding about actions",
  concluding: "Drawing a conclusion from what is known",
  finalizing: "Judging the investigation",
  synthesizing: "Combining the results of the stage's agents",
} as const satisfies Partial<Record<ExecutionPhase, string>>;

/** What an agent does with a call of its model, and how people are told. */
export function callPhase(
  { agent }: Pick<AgentState, "agent">,
  { interaction }: Pick<CallLlm, "interaction">,
): { readonly phase: ExecutionPhase; readonly message: string } {
  const phase =
    interaction === "forced_conclusion"
      ? "concluding"
      : interaction === "scoring" || interaction === "memory_extraction"
        ? "finalizing"
        : interaction === "synthesis"
          ? "synthesizing"
          : isActionAgent(agent)
            ? "remediating"
            : "investigating";
  return { phase, message: MESSAGES[phase] };
}
