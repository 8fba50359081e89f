import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import type { AgentState, AgentStep, Controller } from "../core/agent-state.ts";
import type { Features } from "../core/feature.ts";
import { nativeThinking } from "./native-thinking.ts";
import { react } from "./iterating.ts";
import { singleCall, synthesis } from "./single-call.ts";

/** The strategies that belong to no feature. A new one is a controller in this folder and one line here. */
export const BASE_CONTROLLERS = {
  "single-call": singleCall,
  react,
  "native-thinking": nativeThinking,
  synthesis,
  "synthesis-native-thinking": synthesis,
} satisfies Partial<Record<IterationStrategy, Controller>>;

/** The next step of an agent: its strategy's controller decides it, and then each feature may replace it, in their order. */
export function nextAgentStep(state: AgentState, { list, controllers }: Features): AgentStep {
  const chosen = controllers[state.agent.iteration_strategy](state);
  return list.reduce((next, { decide }) => decide?.(state, next) ?? next, chosen);
}
