import type { ResolvedAgent, ResolvedChain, ResolvedStage } from "#shared/contracts/resolved-chain.ts";
import { TerminalError } from "#shared/errors.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { SYNTHESIS_AGENT } from "#shared/agent-config/built-in/agents.ts";
import { decideAgent, type Block } from "#shared/agent-config/decide-agent.ts";
import { findChain, knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import { resolveProvider } from "#shared/agent-config/resolve-provider.ts";
import type { ChainEntry, StageEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/**
 * Decides everything an investigation of this alert type is run by (without one: the default alert type).
 * Depends on nothing but its arguments; equal ones give equal results. Throws TerminalError
 * `unknown_alert_type` if no chain handles it.
 */
export function resolveChain(config: AgentConfig, alertType: string | undefined): ResolvedChain {
  const found = findChain(config, alertType);
  if (found === undefined) {
    const known = knownAlertTypes(config).join(", ");
    throw new TerminalError(
      "unknown_alert_type",
      `no chain handles alert type ${JSON.stringify(alertType ?? config.defaults.alert_type)}; use one of ${known}`,
    );
  }
  const { chain } = found;
  const stages = chain.stages.map((stage) => resolveStage(config, chain, stage));
  return {
    chain_id: found.chainId,
    alert_type: found.alertType,
    session_timeout_ms: config.queue.session_timeout_ms,
    max_parallel_agents: config.queue.max_parallel_agents,
    mcp_server_instructions: serverInstructions(config, stages),
    default_runbook: config.defaults.runbook,
    stages,
  };
}

function resolveStage(config: AgentConfig, chain: ChainEntry, stage: StageEntry): ResolvedStage {
  const replicas = Math.max(1, stage.replicas ?? 1);
  const agents = stage.agents.flatMap((entry) => {
    const agent = resolveAgent(config, chain, stage, { ...entry, level: "stage agent" });
    return Array.from({ length: replicas }, () => agent);
  });
  const isParallel = agents.length > 1;
  return {
    name: stage.name,
    parallel_type: isParallel ? (stage.agents.length > 1 ? "multi_agent" : "replica") : null,
    success_policy: stage.success_policy ?? config.defaults.success_policy,
    agents,
    ...(isParallel ? { synthesis: resolveAgent(config, chain, stage, synthesisBlock(stage)) } : {}),
  };
}

/** The stage's synthesis settings as the block nearest to that execution. */
export function synthesisBlock({ synthesis }: StageEntry): Block {
  const { agent = SYNTHESIS_AGENT, ...settings } = synthesis ?? {};
  return { ...settings, name: agent, level: "synthesis" };
}

function resolveAgent(
  config: AgentConfig,
  chain: ChainEntry,
  stage: StageEntry,
  block: Block,
): ResolvedAgent {
  const decided = decideAgent(config, chain, stage, block);
  const strategy = decided.iteration_strategy.value;
  return {
    name: decided.name,
    iteration_strategy: strategy,
    max_iterations: decided.max_iterations.value,
    iteration_timeout_ms: decided.iteration_timeout_ms.value,
    mcp_servers: [...decided.mcp_servers.value],
    custom_instructions: decided.custom_instructions,
    llm_provider: resolveProvider(config, decided.llm_provider.value, strategy),
  };
}

function serverInstructions(config: AgentConfig, stages: readonly ResolvedStage[]): Record<string, string> {
  const agents = stages.flatMap((stage) => [...stage.agents, ...(stage.synthesis ? [stage.synthesis] : [])]);
  const used = new Set(agents.flatMap((agent) => agent.mcp_servers));
  const instructions: [string, string][] = [];
  for (const id of [...used].sort()) {
    const text = config.mcpServers.get(id)?.instructions ?? "";
    if (text !== "") instructions.push([id, text]);
  }
  return Object.fromEntries(instructions);
}
