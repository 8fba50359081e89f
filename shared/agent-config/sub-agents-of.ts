import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import type { SubAgentEntry } from "#shared/agent-config/schemas/sub-agents.ts";
import type {
  AgentEntry,
  ChainEntry,
  StageAgentEntry,
  StageEntry,
} from "#shared/agent-config/schemas/tarsy-file.ts";
import { DEFAULT_ORCHESTRATOR, type ResolvedOrchestrator } from "#shared/contracts/resolved-chain.ts";

/**
 * The agents that an agent of a stage may start: the list of its entry, else of the stage, else of the chain. An empty list counts
 * as set. A synthesis and a sub-agent start none.
 */
export function subAgentsOf(
  chain: Pick<ChainEntry, "sub_agents">,
  stage: Pick<StageEntry, "sub_agents">,
  block: Pick<StageAgentEntry, "sub_agents"> & { readonly level: string },
): readonly SubAgentEntry[] {
  if (block.level !== "stage agent") return [];
  return block.sub_agents ?? stage.sub_agents ?? chain.sub_agents ?? [];
}

/** The limits of an agent that starts others: each from the agent, else from the defaults, else the built-in one. */
export function orchestratorOf(
  { defaults }: Pick<AgentConfig, "defaults">,
  agent: Pick<AgentEntry, "orchestrator">,
): ResolvedOrchestrator {
  const written = { ...defaults.orchestrator, ...agent.orchestrator };
  const builtIn = DEFAULT_ORCHESTRATOR;
  return {
    max_concurrent_agents: written.max_concurrent_agents ?? builtIn.max_concurrent_agents,
    agent_timeout_ms: parseDuration(written.agent_timeout ?? "") ?? builtIn.agent_timeout_ms,
    max_budget_ms: parseDuration(written.max_budget ?? "") ?? builtIn.max_budget_ms,
    max_dispatches: written.max_dispatches ?? builtIn.max_dispatches,
  };
}
