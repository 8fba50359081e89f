import type { AgentState } from "../core/agent-state.ts";
import type { AgentSetting, Loaded } from "../core/feature.ts";
import type { AgentMemory } from "../state/agent-memory.ts";
import { agentWithProvider } from "./choose-provider.ts";
import { toolOffer } from "./tool-offer.ts";

/** The state from which an agent's next step is decided: its setting, what its rows say now, and what was read for this decision. */
export function agentState(
  { agent, chain, previous, alert, task }: AgentSetting,
  { iteration, messages, listings, steering, evidence }: AgentMemory,
  loaded: Loaded = {},
): AgentState {
  const offer = toolOffer(agent, chain, listings);
  return {
    agent: agentWithProvider(agent, iteration),
    chain,
    previous,
    alert,
    task: task ?? null,
    parallel: null,
    context: null,
    chat: null,
    judged: null,
    skills: [],
    memories: [],
    tools: offer?.tools ?? null,
    offer,
    messages,
    iteration,
    steering,
    evidence,
    ...loaded,
  };
}
