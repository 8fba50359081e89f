import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import { TerminalError } from "#shared/errors.ts";
import type { AgentState, AgentStep, Strategy } from "./steps/agent-step.ts";
import { singleCall } from "./steps/single-call.ts";

/** A new strategy is one file in `steps/` and one line here. */
const STRATEGIES: Partial<Record<IterationStrategy, Strategy>> = {
  "single-call": singleCall,
};

/** Asks the agent's strategy. Throws TerminalError `unsupported_strategy` for one this version does not have. */
export function nextAgentStep(state: AgentState): AgentStep {
  const name = state.agent.iteration_strategy;
  const strategy = STRATEGIES[name];
  if (strategy !== undefined) return strategy(state);
  throw new TerminalError(
    "unsupported_strategy",
    `iteration strategy '${name}' of agent '${state.agent.name}' is not available in this version: ` +
      `leave iteration_strategy out, which gives ${Object.keys(STRATEGIES).join(", ")}`,
  );
}
