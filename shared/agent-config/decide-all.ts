import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import {
  decideAgent,
  type Block,
  type Decided,
  type DecidedAgent,
} from "#shared/agent-config/decide-agent.ts";
import { synthesisBlock } from "#shared/agent-config/resolve-chain.ts";
import type { ChainEntry, StageEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { joinPath } from "#shared/agent-config/source-map.ts";

/** What every chain's agents are resolved to, and by path the level that decided each setting. */
export interface AllDecided {
  readonly values: Readonly<Record<string, unknown>>;
  readonly levels: ReadonlyMap<string, string>;
}

/** Decides every agent of every chain, for showing; paths begin with `resolved`. */
export function decideAll(config: AgentConfig): AllDecided {
  const levels = new Map<string, string>();
  const chains = [...config.chains].map(([chainId, chain]): [string, unknown] => {
    const path = joinPath("resolved", chainId);
    return [
      chainId,
      chain.stages.map((stage, at) => decideStage(config, chain, stage, joinPath(path, at), levels)),
    ];
  });
  return { values: Object.fromEntries(chains), levels };
}

function decideStage(
  config: AgentConfig,
  chain: ChainEntry,
  stage: StageEntry,
  path: string,
  levels: Map<string, string>,
): Record<string, unknown> {
  const decide = (block: Block, agentPath: string) => {
    const agent = decideAgent(config, chain, stage, block);
    noteLevels(agent, agentPath, levels);
    return plainAgent(agent);
  };
  const replicas = Math.max(1, stage.replicas ?? 1);
  const { success_policy: ownPolicy } = stage;
  levels.set(`${path}.success_policy`, ownPolicy === undefined ? policyLevel(config) : "stage");
  const decided = {
    stage: stage.name,
    success_policy: ownPolicy ?? config.defaults.success_policy,
    replicas,
    agents: stage.agents.map((entry, at) =>
      decide(Object.assign({ level: "stage agent" as const }, entry), `${path}.agents[${at}]`),
    ),
  };
  if (stage.agents.length * replicas === 1) return decided;
  return { ...decided, synthesis: decide(synthesisBlock(stage), `${path}.synthesis`) };
}

function policyLevel(config: AgentConfig): string {
  return config.origins.has("defaults.success_policy") ? "defaults" : "built-in";
}

const DECIDED = [
  "llm_provider",
  "iteration_strategy",
  "max_iterations",
  "iteration_timeout_ms",
  "mcp_servers",
] as const;

function noteLevels(agent: DecidedAgent, path: string, levels: Map<string, string>): void {
  for (const key of DECIDED) {
    const { from, value }: Decided<unknown> = agent[key];
    const keyPath = `${path}.${key}`;
    if (!Array.isArray(value)) levels.set(keyPath, from);
    else value.forEach((_item, index) => levels.set(joinPath(keyPath, index), from));
  }
}

function plainAgent(agent: DecidedAgent): Record<string, unknown> {
  const settings = DECIDED.map((key): [string, unknown] => [key, agent[key].value]);
  return { name: agent.name, ...Object.fromEntries(settings) };
}
