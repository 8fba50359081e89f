import type { IterationStrategy } from "#shared/contracts/resolved-chain.ts";
import type { AgentState, AgentStep, Controller } from "../core/agent-state.ts";
import { awaitSubAgents } from "../features/sub-agents/await-sub-agents.ts";
import { deliverEvidence } from "../features/joined-alerts/deliver-evidence.ts";
import { deliverSteering } from "../features/steering/deliver-steering.ts";
import { endForBudget } from "../features/budgets/end-for-budget.ts";
import { memoryExtraction } from "../features/memories/memory-extraction.ts";
import { nativeThinking } from "./native-thinking.ts";
import { react } from "./react.ts";
import { scoring } from "../features/scoring/judge-session.ts";
import { singleCall } from "./single-call.ts";
import { synthesis } from "./synthesis.ts";

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

/**
 * The next step of an agent, decided by the controller of its strategy. Before the conversation goes on after the calls of an
 * answer, their large results are summarized; not between the calls, because some of what the next ones need may be in
 * the memory of this process only. Alerts that have joined its incident, and then what people have told the agent, come before its next call of the model.
 */
export function nextAgentStep(state: AgentState): AgentStep {
  const step = endForBudget(state) ?? CONTROLLERS[state.agent.iteration_strategy](state);
  const [result] = state.iteration.pending_summaries ?? [];
  if (result !== undefined && step.kind !== "run-tool" && step.kind !== "finish") {
    return { kind: "summarize-result", result };
  }
  const due = awaitSubAgents(state, step);
  return deliverEvidence(state, due) ?? deliverSteering(state, due) ?? due;
}
