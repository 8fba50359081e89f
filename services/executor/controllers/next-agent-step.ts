import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import type { AgentState, AgentStep, Controller } from "./controller.ts";
import { nativeThinking } from "./native-thinking.ts";
import { react } from "./react.ts";
import { singleCall } from "./single-call.ts";
import { synthesis } from "./synthesis.ts";

/** A new strategy is one controller in this folder and one line here. */
const CONTROLLERS: Record<IterationStrategy, Controller> = {
  "single-call": singleCall,
  react,
  "native-thinking": nativeThinking,
  synthesis,
  "synthesis-native-thinking": synthesis,
};

/** The next step of an agent, decided by the controller of its strategy. */
export function nextAgentStep(state: AgentState): AgentStep {
  return CONTROLLERS[state.agent.iteration_strategy](state);
}
