import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { AgentMemory } from "../state/agent-memory.ts";
import { agentWithProvider } from "./choose-provider.ts";
import type { AgentState } from "../core/agent-state.ts";
import { toolOffer } from "./tool-offer.ts";

/** The parts of an agent's state that do not change while it runs. */
export interface AgentSetting extends Pick<AgentState, "chain" | "previous" | "alert" | "task"> {
  /** As resolved at the start, with its first provider. */
  readonly agent: ResolvedAgent;
}

/** What the agent's controller decides from: its setting, and what its rows say now. */
export function agentState(
  { agent, chain, previous, alert, task = null }: AgentSetting,
  { iteration, messages, listings, steering, evidence }: AgentMemory,
  {
    parallel = null,
    context = null,
    chat = null,
    judged = null,
    skills = [],
    memories = [],
    subAgents = [],
    isBudgetOver = false,
  }: Partial<
    Pick<
      AgentState,
      "parallel" | "context" | "chat" | "judged" | "skills" | "memories" | "subAgents" | "isBudgetOver"
    >
  > = {},
): AgentState {
  const offer = toolOffer(agent, chain, listings);
  return {
    agent: agentWithProvider(agent, iteration),
    chain,
    previous,
    alert,
    parallel,
    skills,
    memories,
    context,
    chat,
    judged,
    tools: offer?.tools ?? null,
    offer,
    messages,
    iteration,
    steering,
    evidence,
    task,
    subAgents,
    isBudgetOver,
  };
}
