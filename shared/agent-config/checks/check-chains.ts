import { BUILT_IN_SETTINGS, describeAgent } from "#shared/agent-config/built-in-config.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import { type CheckContext, warnNoEffectYet } from "#shared/agent-config/checks/check-context.ts";
import { checkScoring, checkFallbacks } from "#shared/agent-config/checks/check-agent-providers.ts";
import { CONCLUSION_CONTRACT } from "#shared/contracts/conclusion.ts";
import { suggestName } from "#shared/agent-config/suggest-name.ts";
import {
  replicasOf,
  type ChainEntry,
  type ChatEntry,
  type StageAgentEntry,
  type StageEntry,
  type AgentEntry,
} from "#shared/agent-config/schemas/tarsy-file.ts";
import { NATIVE_TOOLS } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { SubAgentEntry } from "#shared/agent-config/schemas/sub-agents.ts";

/** A higher number is a typing error; each execution has its own rows. */
const MAX_STAGE_EXECUTIONS = 100;

/** Checks the references of a written chain, its stages, its chat and its judge. */
export function checkChain(chain: Loose<ChainEntry>, context: CheckContext): void {
  checkProvider(chain, chain.llm_provider, context);
  checkSummaryProvider(chain, context);
  checkFallbacks(chain.fallback_providers, context);
  checkServers(chain.mcp_servers, context);
  checkSubAgents(chain.sub_agents, context);
  for (const stage of chain.stages ?? []) if (stage !== undefined) checkStage(stage, chain, context);
  // A block that is switched off may name entries that no longer exist.
  if (chain.chat !== undefined && chain.chat.enabled !== false) checkChat(chain.chat, context);
  if (chain.scoring !== undefined) checkScoring(chain.scoring, context);
}

/** Every server id of a list must be known. */
function checkServers(servers: (string | undefined)[] | undefined, context: CheckContext): void {
  servers?.forEach((server, key) => {
    const target = { container: servers, key };
    context.reporter.unknownName(target, "MCP server", server, context.names.mcpServers);
    if (server !== undefined && servers.indexOf(server) < key) {
      context.reporter.warn(target, "is listed more than once, and counts once");
    }
  });
}

function checkStage(stage: Loose<StageEntry>, chain: Loose<ChainEntry>, context: CheckContext): void {
  const { reporter, names } = context;
  checkFallbacks(stage.fallback_providers, context);
  checkServers(stage.mcp_servers, context);
  checkSubAgents(stage.sub_agents, context);
  for (const agent of stage.agents ?? []) {
    if (agent === undefined) continue;
    reporter.unknownName({ container: agent, key: "name" }, "agent", agent.name, names.agents);
    checkProvider(agent, agent.llm_provider, context);
    checkFallbacks(agent.fallback_providers, context);
    checkServers(agent.mcp_servers, context);
    checkSkills(agent, context);
    checkSubAgents(agent.sub_agents, context);
  }
  const actionAgents = (stage.agents ?? []).filter((agent) => !isInvestigating(agent, context.agents));
  if (actionAgents.length > 0 && actionAgents.length < (stage.agents?.length ?? 0)) {
    const why = "has agents of type action beside others: its result counts as an investigation";
    reporter.warn({ container: stage, key: "agents" }, why);
  }
  checkReplicas(stage, chain, context);
  const executions = (stage.agents?.length ?? 0) * replicasOf(stage).max;
  if (executions > MAX_STAGE_EXECUTIONS) {
    const target = { container: stage, key: stage.replicas === undefined ? "agents" : "replicas" };
    reporter.error(
      target,
      `makes ${executions} executions of one stage; at most ${MAX_STAGE_EXECUTIONS} are allowed`,
    );
  }
  const { synthesis } = stage;
  if (synthesis === undefined) return;
  if (stage.agents?.length === 1 && executions <= 1) {
    reporter.warn({ container: stage, key: "synthesis" }, "has no effect for a stage with one agent");
  }
  reporter.unknownName({ container: synthesis, key: "agent" }, "agent", synthesis.agent, names.agents);
  checkProvider(synthesis, synthesis.llm_provider, context);
}

/** Replicas that stop when they agree need conclusions that can be compared. */
function checkReplicas(stage: Loose<StageEntry>, chain: Loose<ChainEntry>, context: CheckContext): void {
  const { reporter } = context;
  const { replicas } = stage;
  if (replicas === undefined) return;
  const { min, max, stop } = replicas;
  if (min === 0 && max === undefined) reporter.warn({ container: stage, key: "replicas" }, "of 0 means 1");
  if (max === undefined) {
    const needsMax = stop !== undefined;
    if (needsMax) reporter.error({ container: replicas, key: "stop" }, "needs max, the most replicas");
    return;
  }
  if (min !== undefined && (min < 1 || min > max)) {
    reporter.error({ container: replicas, key: "min" }, `must be from 1 to max, which is ${max}`);
  }
  if ((stage.agents?.length ?? 0) > 1 && (min ?? 1) < max) {
    reporter.error(
      { container: stage, key: "replicas" },
      "with max needs a stage with one entry under agents",
    );
  } else if ((min ?? 1) < max && !concludes(stage, chain, context)) {
    const why =
      "with max needs an agent that concludes: set conclusion: rca.v1 for it, its stage or its chain";
    reporter.error({ container: stage, key: "replicas" }, why);
  }
}

/** True if the agent of a stage states its conclusion: by its chain or the defaults only in the last stage. */
function concludes(
  stage: Loose<StageEntry>,
  chain: Loose<ChainEntry>,
  { agents, tarsy }: CheckContext,
): boolean {
  const [agent] = stage.agents ?? [];
  const nearest = agent?.conclusion ?? stage.conclusion;
  const isLast =
    stage === chain.stages?.findLast((one) => one?.agents?.some((entry) => isInvestigating(entry, agents)));
  const [around, far] = isLast ? [chain.conclusion, tarsy.defaults?.conclusion] : [];
  return (nearest ?? around ?? agents.get(agent?.name ?? "")?.conclusion ?? far) === CONCLUSION_CONTRACT;
}

function isInvestigating(entry: Loose<StageAgentEntry> | undefined, agents: CheckContext["agents"]): boolean {
  return (entry?.type || agents.get(entry?.name ?? "")?.type) !== "action";
}

function checkChat(chat: Loose<ChatEntry>, context: CheckContext): void {
  const { reporter, names } = context;
  reporter.unknownName({ container: chat, key: "agent" }, "agent", chat.agent, names.agents);
  checkProvider(chat, chat.llm_provider, context);
  checkServers(chat.mcp_servers, context);
  checkSubAgents(chat.sub_agents, context);
}

/** Checks the provider of the executive summaries of a chain, or the default one. */
export function checkSummaryProvider(
  container: { executive_summary_provider?: string },
  { reporter, names }: CheckContext,
): void {
  const target = { container, key: "executive_summary_provider" };
  reporter.unknownName(target, "LLM provider", container.executive_summary_provider, names.llmProviders);
}

function checkProvider(container: object, name: string | undefined, context: CheckContext): void {
  const target = { container, key: "llm_provider" };
  context.reporter.unknownName(target, "LLM provider", name, context.names.llmProviders);
}

/** Maps every alert type to its chain; reports alert types of several chains and a default without a chain. */
export function checkAlertTypes(context: CheckContext): Map<string, string> {
  const { chains, reporter, tarsy } = context;
  const owners = new Map<string, string>();
  for (const [chainId, chain] of chains) {
    const { alert_types: alertTypes } = chain;
    alertTypes?.forEach((alertType, key) => {
      if (alertType === undefined) return;
      const owner = owners.get(alertType);
      if (owner === undefined) {
        owners.set(alertType, chainId);
        return;
      }
      const target = { container: alertTypes, key };
      if (owner === chainId) reporter.warn(target, "is listed twice");
      else reporter.error(target, `is handled by chain ${owner} already`, remedy(owner, context));
    });
  }
  if (!hasInvalidAlertTypes(context)) checkDefault(owners, context);
  if (tarsy.defaults?.alert_type === undefined && !owners.has(BUILT_IN_SETTINGS.defaults.alert_type)) {
    reporter.warn(
      { container: tarsy.defaults ?? tarsy, key: "alert_type", path: "defaults.alert_type" },
      `is not set and no chain handles its built-in value ${BUILT_IN_SETTINGS.defaults.alert_type}`,
      "alerts without a type will be refused",
    );
  }
  return owners;
}

/** True if the default alert type may be meant by a chain or alert type that could not be read. */
function hasInvalidAlertTypes({ tarsy, reporter: { sources } }: CheckContext): boolean {
  const { agent_chains: chains } = tarsy;
  if (chains === undefined) return sources.hasChild(tarsy, "agent_chains");
  return sources.keys(chains).some((chainId) => {
    const alertTypes = chains[chainId]?.alert_types;
    return alertTypes === undefined || alertTypes.length === 0 || alertTypes.includes(undefined);
  });
}

function remedy(owner: string, { chains, reporter }: CheckContext): string {
  const ownerChain = chains.get(owner);
  const isBuiltIn = ownerChain !== undefined && !reporter.sources.has(ownerChain);
  return isBuiltIn
    ? `that one is built in: give this chain the id ${owner} to replace it`
    : "an alert type belongs to exactly one chain";
}

function checkDefault(owners: ReadonlyMap<string, string>, { reporter, tarsy }: CheckContext): void {
  const alertType = tarsy.defaults?.alert_type;
  if (tarsy.defaults === undefined || alertType === undefined || owners.has(alertType)) return;
  const target = { container: tarsy.defaults, key: "alert_type" };
  reporter.error(
    target,
    "must be an alert type some chain handles",
    suggestName(alertType, [...owners.keys()]),
  );
}

/** Types whose agents nothing runs yet. */
const NOT_RUN: Readonly<Record<string, string>> = {
  exec_summary: "executive summaries have no agent of their own",
};

/** Checks a written agent: its servers, its skills, its native tools and its type. */
export function checkAgent(agent: Loose<AgentEntry>, context: CheckContext): void {
  const { reporter } = context;
  checkServers(agent.mcp_servers, context);
  checkSkills(agent, context);
  const reason = NOT_RUN[agent.type ?? ""];
  if (reason !== undefined) warnNoEffectYet({ container: agent, key: "type" }, reason, reporter);
  const { native_tools: tools } = agent;
  if (tools === undefined) return;
  for (const name of Object.keys(tools)) {
    if (NATIVE_TOOLS.some((tool) => tool === name)) continue;
    const hint = suggestName(name, NATIVE_TOOLS);
    reporter.error({ container: tools, key: name }, "must be a known native tool", hint);
  }
}

/**
 * Checks a list of sub-agents: each is a known agent with a description, by which another agent chooses it, and is listed once;
 * its provider, servers and skills are known.
 */
function checkSubAgents(
  list: readonly (Loose<SubAgentEntry> | undefined)[] | undefined,
  context: CheckContext,
): void {
  const { reporter, names, agents } = context;
  const seen = new Set<string>();
  for (const entry of list ?? []) {
    if (entry === undefined) continue;
    const { name } = entry;
    const target = { container: entry, key: "name" };
    reporter.unknownName(target, "agent", name, names.agents);
    const agent = agents.get(name ?? "");
    if (agent !== undefined && describeAgent(name ?? "", agent) === "") {
      reporter.error(target, "must be an agent with a description, by which others choose it");
    }
    if (name !== undefined && seen.has(name)) reporter.error(target, "must be listed once");
    if (name !== undefined) seen.add(name);
    const provider = { container: entry, key: "llm_provider" };
    reporter.unknownName(provider, "LLM provider", entry.llm_provider, names.llmProviders);
    checkServers(entry.mcp_servers, context);
    checkSkills(entry, context);
  }
}

/** Checks both lists of skills of an agent, or of a reference to one: every name is known and occurs once. */
function checkSkills(
  entry: {
    readonly skills?: (string | undefined)[] | undefined;
    readonly required_skills?: (string | undefined)[] | undefined;
  },
  { reporter, names }: Pick<CheckContext, "reporter" | "names">,
): void {
  for (const list of [entry.skills, entry.required_skills]) {
    list?.forEach((name, key) => {
      const target = { container: list, key };
      reporter.unknownName(target, "skill", name, names.skills);
      if (name !== undefined && list.indexOf(name) < key) reporter.error(target, "must be listed once");
    });
  }
}
