import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import type { AgentState, AgentStep, Controller } from "../core/agent-state.ts";
import type { Feature } from "../core/feature.ts";
import { memoryExtraction } from "../features/memories/memory-extraction.ts";
import { scoring } from "../features/scoring/judge-session.ts";
import { nativeThinking } from "./native-thinking.ts";
import { react } from "./react.ts";
import { singleCall, synthesis } from "./single-call.ts";

/** A new strategy is one controller in this folder and one line here. */
const CONTROLLERS: Record<IterationStrategy, Controller> = {
  "single-call": singleCall,
  react,
  "native-thinking": nativeThinking,
  synthesis,
  "synthesis-native-thinking": synthesis,
  scoring,
  "memory-extraction": memoryExtraction,
};

/** The next step of an agent: its strategy's controller decides it, and then each feature may replace it, in their order. */
export function nextAgentStep(state: AgentState, features: readonly Pick<Feature, "decide">[]): AgentStep {
  const chosen = CONTROLLERS[state.agent.iteration_strategy](state);
  return features.reduce((next, { decide }) => decide?.(state, next) ?? next, chosen);
}
