import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import type { AgentState, AgentStep, Strategy } from "./controller.ts";
import { nativeThinking } from "./native-thinking.ts";
import { react } from "./react.ts";
import { singleCall } from "./single-call.ts";
import { synthesis } from "./synthesis.ts";

/** A new strategy is one file in `steps/` and one line here. */
const STRATEGIES: Record<IterationStrategy, Strategy> = {
  "single-call": singleCall,
  react,
  "native-thinking": nativeThinking,
  synthesis,
  "synthesis-native-thinking": synthesis,
};

/** Asks the agent's strategy what to do next. */
export function nextAgentStep(state: AgentState): AgentStep {
  return STRATEGIES[state.agent.iteration_strategy](state);
}
