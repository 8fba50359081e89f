import { Document, isPair, isScalar, isSeq, visit, type Scalar } from "yaml";
import type { AgentConfig, Origin } from "#shared/agent-config/agent-config.ts";
import { effectiveConfig } from "#shared/agent-config/effective-config.ts";
import {
  resolveAgentSettings,
  synthesisBlock,
  type AgentSettings,
  type ExecutionBlock,
  type Setting,
} from "#shared/agent-config/resolve-agent-settings.ts";
import { replicasOf, type ChainEntry, type StageEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { joinPath } from "#shared/agent-config/source-map.ts";

/**
 * The effective configuration as YAML, with a comment at each value that names its origin, followed by the
 * resolved settings of every agent of every chain with the level of each. Secrets are redacted.
 */
export function showConfig(config: AgentConfig): string {
  const { origins } = config;
  const effective = new Document(effectiveConfig(config), { aliasDuplicateObjects: false });
  annotate(effective, (path) => describeOrigin(origins.get(path)));
  const levels = new Map<string, string>();
  const chains = [...config.chains].map(([chainId, chain]): [string, unknown] => {
    const path = joinPath("resolved", chainId);
    const stages = chain.stages.map((stage, at) =>
      showStage(config, chain, stage, joinPath(path, at), levels),
    );
    return [chainId, stages];
  });
  const resolved = new Document({ resolved: Object.fromEntries(chains) }, { aliasDuplicateObjects: false });
  annotate(resolved, (path) => levels.get(path));
  return `${effective.toString({ lineWidth: 0 })}\n${resolved.toString({ lineWidth: 0 })}`;
}

function describeOrigin(origin: Origin | undefined): string {
  if (origin === undefined) return "built-in";
  const position = origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
  return origin.variables.length === 0 ? position : `${position}, environment ${origin.variables.join(", ")}`;
}

/** The resolved settings of a stage; adds the level of each setting to `levels`, by path. */
function showStage(
  config: AgentConfig,
  chain: ChainEntry,
  stage: StageEntry,
  path: string,
  levels: Map<string, string>,
): Record<string, unknown> {
  const showAgent = (block: ExecutionBlock, agentPath: string) => {
    const agent = resolveAgentSettings(config, chain, stage, block);
    addLevels(agent, agentPath, levels);
    const settings = SHOWN_SETTINGS.map((key): [string, unknown] => [key, agent[key].value]);
    return { name: agent.name, ...Object.fromEntries(settings) };
  };
  const { min, max } = replicasOf(stage);
  const policyLevel = config.origins.has("defaults.success_policy") ? "defaults" : "built-in";
  levels.set(`${path}.success_policy`, stage.success_policy === undefined ? policyLevel : "stage");
  const shown = {
    stage: stage.name,
    success_policy: stage.success_policy ?? config.defaults.success_policy,
    replicas: min === max ? max : { min, max, stop: "agreement" },
    agents: stage.agents.map((entry, at) =>
      showAgent(Object.assign({ level: "stage agent" as const }, entry), `${path}.agents[${at}]`),
    ),
  };
  if (stage.agents.length * max === 1) return shown;
  return { ...shown, synthesis: showAgent(synthesisBlock(stage), `${path}.synthesis`) };
}

const SHOWN_SETTINGS = [
  "llm_provider",
  "llm_backend",
  "fallback_providers",
  "iteration_strategy",
  "max_iterations",
  "iteration_timeout_ms",
  "mcp_servers",
] as const;

function addLevels(agent: AgentSettings, path: string, levels: Map<string, string>): void {
  for (const key of SHOWN_SETTINGS) {
    const { from, value }: Setting<unknown> = agent[key];
    const keyPath = `${path}.${key}`;
    if (!Array.isArray(value)) levels.set(keyPath, from);
    else value.forEach((item: unknown, index) => addItemLevel(item, joinPath(keyPath, index), from, levels));
  }
}

function addItemLevel(
  item: unknown,
  path: string,
  from: Setting<unknown>["from"],
  levels: Map<string, string>,
): void {
  if (typeof item !== "object" || item === null) levels.set(path, from);
  else for (const key of Object.keys(item)) levels.set(joinPath(path, key), from);
}

/** Adds a comment to every scalar whose path has one. */
function annotate(document: Document, commentAt: (path: string) => string | undefined): void {
  visit(document, {
    Scalar(key, node: Scalar, ancestors) {
      if (key === "key") return;
      const comment = commentAt(pathOf(ancestors, node));
      if (comment === undefined) return;
      if (typeof node.value === "string" && node.value.includes("\n")) node.commentBefore = ` ${comment}`;
      else node.comment = ` ${comment}`;
    },
  });
}

function pathOf(ancestors: readonly unknown[], node: Scalar): string {
  let path = "";
  const chain = [...ancestors, node];
  chain.forEach((ancestor, index) => {
    if (isPair(ancestor) && isScalar(ancestor.key)) path = joinPath(path, String(ancestor.key.value));
    if (isSeq(ancestor)) path = joinPath(path, ancestor.items.indexOf(chain[index + 1]));
  });
  return path;
}
