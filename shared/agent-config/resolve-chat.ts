import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { CHAT_AGENT } from "#shared/agent-config/built-in-config.ts";
import { resolveAgentSettings } from "#shared/agent-config/resolve-agent-settings.ts";
import { resolveFound } from "#shared/agent-config/resolve-chain.ts";
import type { ChainEntry, ChatEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import {
  TOOL_STRATEGIES,
  type IterationStrategy,
  type ResolvedChain,
} from "#shared/contracts/resolved-chain.ts";

type ToolStrategy = (typeof TOOL_STRATEGIES)[number];

/** The name of the stages that answer questions. */
const CHAT_STAGE = "Chat";

/** True if questions may be asked about investigations of this chain: unless its `chat` says otherwise. */
export function isChatEnabled({ chat }: ChainEntry): boolean {
  return chat?.enabled !== false;
}

/**
 * Resolves what an answer about an investigation of this chain runs by, as a chain of one stage with one agent. The nearest level that
 * sets something wins: `chat`, the chain, the agent, the defaults; for servers the union of the stages' comes before the agent's.
 * An agent of the chat always calls tools, the built-in one in the way of the investigation. Pure. Undefined for a chain that is not
 * configured (any more).
 */
export function resolveChat(
  config: AgentConfig,
  { chainId, alertType }: { readonly chainId: string; readonly alertType: string },
  selectsServers: boolean,
): ResolvedChain | undefined {
  const chain = config.chains.get(chainId);
  if (chain === undefined) return undefined;
  const { enabled: _enabled, agent: name = CHAT_AGENT, ...settings }: ChatEntry = chain.chat ?? {};
  const servers = serversOf(config, chain);
  const provider = settings.llm_provider ?? chain.llm_provider ?? config.defaults.llm_provider;
  const investigators = chain.stages.flatMap(({ agents }) => agents);
  const llm_provider = provider ?? investigators.find((agent) => agent.llm_provider)?.llm_provider;
  const strategy = settings.iteration_strategy ?? unwrittenStrategy(config, chain, { name, selectsServers });
  const block = {
    ...settings,
    name,
    conclusion: "none" as const,
    ...(strategy === undefined ? {} : { iteration_strategy: strategy }),
    ...(servers.length === 0 ? {} : { mcp_servers: [...servers] }),
    ...(llm_provider === undefined ? {} : { llm_provider }),
  };
  const found = { chainId, alertType, chain: { ...chain, stages: [{ name: CHAT_STAGE, agents: [block] }] } };
  return withTools(resolveFound(config, found, selectsServers));
}

/** Those of the chat, else of the chain, else of all its agents, first seen first. */
function serversOf(config: AgentConfig, chain: ChainEntry): readonly string[] {
  const written = [chain.chat?.mcp_servers, chain.mcp_servers].find((list) => (list?.length ?? 0) > 0);
  if (written !== undefined) return written;
  const all = chain.stages.flatMap((stage) => [
    ...(stage.mcp_servers ?? []),
    ...stage.agents.flatMap(({ name, mcp_servers = [] }) => [
      ...mcp_servers,
      ...(config.agents.get(name)?.mcp_servers ?? []),
    ]),
  ]);
  return [...new Set(all)];
}

/**
 * The strategy of the built-in agent where no file names one: that of the defaults, else that of the first investigator that calls
 * tools. A model that investigated with structured calls may not keep to the ReAct format, and would be asked again and again.
 */
function unwrittenStrategy(
  config: AgentConfig,
  chain: ChainEntry,
  { name, selectsServers }: { readonly name: string; readonly selectsServers: boolean },
): ToolStrategy | undefined {
  if (name !== CHAT_AGENT || config.origins.has(`agents.${CHAT_AGENT}.iteration_strategy`)) return undefined;
  const investigators = chain.stages.flatMap((stage) =>
    stage.agents.map((entry) =>
      resolveAgentSettings(config, chain, stage, { ...entry, level: "stage agent" }, selectsServers),
    ),
  );
  const strategies = [
    config.defaults.iteration_strategy,
    ...investigators.map(({ iteration_strategy }) => iteration_strategy.value),
  ];
  return strategies.map(toolStrategy).find((one) => one !== undefined) ?? "native-thinking";
}

/** The strategy itself if it calls tools. */
function toolStrategy(strategy: IterationStrategy | undefined): ToolStrategy | undefined {
  return TOOL_STRATEGIES.find((one) => one === strategy);
}

/** A strategy without tools, e.g. that of an agent that synthesizes, is none for questions. */
function withTools(chain: ResolvedChain): ResolvedChain {
  return {
    ...chain,
    stages: chain.stages.map((stage) => ({
      ...stage,
      agents: stage.agents.map((agent) => ({
        ...agent,
        iteration_strategy: toolStrategy(agent.iteration_strategy) ?? "native-thinking",
      })),
    })),
  };
}
