import { join } from "node:path";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import { namesCredential } from "#shared/agent-config/checks/check-llm-providers.ts";
import { scoringBlock } from "#shared/agent-config/checks/check-agent-providers.ts";
import { type CheckContext, subAgentEntries } from "#shared/agent-config/checks/check-context.ts";
import { findScript } from "#shared/agent-config/scripts/find-script.ts";
import { CREDENTIAL_KEYS, isKeyless, keyVariable } from "#shared/agent-config/provider-keys.ts";
import type { Target } from "#shared/agent-config/reporter.ts";
import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { replicasOf, type ChainEntry, type FallbackEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { secretVariable } from "#shared/service/environment.ts";
import { retirementNotice } from "#shared/pricing/retirement-of.ts";

/**
 * Checks that every chain has a provider for each of its agents, and that each used provider has its key,
 * other variables and script; unused providers need none of them. Returns the built-in chains to leave out:
 * they have no provider, and the written chains do not need them. Warns of used models that retire.
 */
export function checkUsedProviders(context: CheckContext): string[] {
  const { providers, chainsWithout } = resolveUsedProviders(context);
  for (const [name, { chainIds, reference }] of providers) {
    const provider = context.llmProviders.get(name);
    if (provider !== undefined) checkUsable(provider, name, [...chainIds], reference, context);
  }
  checkRetirements(providers, context);
  return checkChainsWithoutProvider(chainsWithout, context);
}

function checkChainsWithoutProvider(chainIds: readonly string[], context: CheckContext): string[] {
  const { chains, reporter, tarsy } = context;
  const isWritten = (id: string) => {
    const chain = chains.get(id);
    return chain !== undefined && reporter.sources.has(chain);
  };
  const target = defaultProvider(tarsy);
  const written = chainIds.filter(isWritten);
  const builtIn = chainIds.filter((id) => !isWritten(id));
  const unneeded = written.length === 0 && [...chains.keys()].some(isWritten);
  if (unneeded && builtIn.length > 0) {
    const rule = `is not set, so the built-in ${chainList(builtIn)} has no LLM provider and is left out`;
    reporter.warn(target, rule, "set defaults.llm_provider to use it");
    return builtIn;
  }
  if (chainIds.length > 0) {
    const users = chainList(written.length > 0 ? written : builtIn);
    reporter.error(
      target,
      "is required where no key of a built-in provider is set",
      `${users} can reach no LLM provider without it`,
    );
  }
  return [];
}

function checkUsable(
  provider: Loose<LlmProviderEntry>,
  name: string,
  chainIds: readonly string[],
  reference: Target,
  context: CheckContext,
): void {
  const { reporter, env, configDir } = context;
  const users = chainList(chainIds);
  const isWritten = reporter.sources.has(provider);
  for (const key of [...CREDENTIAL_KEYS, "project_env", "location_env"] as const) {
    const variable = key === "api_key_env" ? keyVariable(provider) : provider[key];
    if (provider.type === "scripted" || variable === undefined) continue;
    if (secretVariable(env, variable) !== "") continue;
    const isNamed = isWritten && provider[key] !== undefined;
    const rule = isNamed ? "must name a variable that is set" : `needs ${variable} to be set`;
    const hint = `set ${variable} in the environment or in ${join(configDir, ".env")}: ${users} can use ${name}`;
    reporter.error(isNamed ? { container: provider, key } : reference, rule, hint);
  }
  if (!isWritten || provider.type === undefined) return;
  if (provider.type === "scripted") checkScript(provider, context);
  const rule = missingKeyRule(provider);
  if (rule !== undefined && !reporter.sources.hasChild(provider, "api_key_env")) {
    reporter.error({ container: provider, key: "api_key_env" }, rule, `${users} can use the provider`);
  }
}

/** The rule that an entry without a credential breaks; undefined if it breaks none. */
function missingKeyRule(provider: Loose<LlmProviderEntry>): string | undefined {
  const { type, base_url } = provider;
  if (type === undefined) return undefined;
  if (type === "bedrock" || type === "azure") {
    if (namesCredential(provider)) return undefined;
    const others = type === "bedrock" ? "access_key_id_env" : "client_secret_env";
    return `is required for provider type ${type} without ${others} and machine_credentials`;
  }
  if (isKeyless({ type, base_url }) || keyVariable(provider) !== undefined) return undefined;
  return `is required for provider type ${type} without base_url`;
}

function checkScript(provider: Loose<LlmProviderEntry>, { configDir, reporter }: CheckContext): void {
  const { script } = provider;
  if (script === undefined) return;
  const found = findScript(configDir, script);
  if (found === "file") return;
  reporter.error(
    { container: provider, key: "script" },
    "must be a file below the configuration directory",
    found === "outside" ? "that path leads out of it" : `there is no ${join(configDir, script)}`,
  );
}

function chainList(ids: readonly string[]): string {
  return `${ids.length === 1 ? "chain" : "chains"} ${ids.join(", ")}`;
}

interface UsedProviders {
  /** Keyed by provider name: the chains that use it, and the first reference to it. */
  readonly providers: ReadonlyMap<string, { readonly chainIds: Set<string>; readonly reference: Target }>;
  /** Chains in which something has no provider at all. */
  readonly chainsWithout: readonly string[];
}

/** Resolves the provider of every stage agent, synthesis, chat and judge of every chain, and those that take over from it. */
function resolveUsedProviders(context: CheckContext): UsedProviders {
  const providers = new Map<string, { chainIds: Set<string>; reference: Target }>();
  const chainsWithout = new Set<string>();
  for (const [chainId, chain] of context.chains) {
    for (const blocks of providerBlocks(chain, context)) {
      const found = firstProvider([...blocks, chain, context.tarsy.defaults], context);
      if (found === "invalid") continue;
      if (found === undefined) {
        chainsWithout.add(chainId);
        continue;
      }
      const known = providers.get(found.name) ?? { chainIds: new Set(), reference: found.reference };
      known.chainIds.add(chainId);
      providers.set(found.name, known);
    }
    for (const { name, reference } of fallbackReferences(chain, context.tarsy.defaults)) {
      const known = providers.get(name) ?? { chainIds: new Set(), reference };
      known.chainIds.add(chainId);
      providers.set(name, known);
    }
  }
  for (const { name, reference, chainId } of summaryWriters(context)) {
    const known = providers.get(name) ?? { chainIds: new Set(), reference };
    known.chainIds.add(chainId);
    providers.set(name, known);
  }
  for (const { name, reference } of summarizers(context)) {
    const known = providers.get(name) ?? { chainIds: new Set(), reference };
    for (const chainId of context.chains.keys()) known.chainIds.add(chainId);
    providers.set(name, known);
  }
  return { providers, chainsWithout: [...chainsWithout] };
}

/** The providers named for executive summaries, with the chains that use them. */
function summaryWriters({
  chains,
  tarsy,
}: CheckContext): { name: string; reference: Target; chainId: string }[] {
  return [...chains].flatMap(([chainId, chain]) => {
    const container = [chain, tarsy.defaults].find(
      (level) => level?.executive_summary_provider !== undefined,
    );
    const name = container?.executive_summary_provider;
    if (container === undefined || name === undefined) return [];
    return [{ name, chainId, reference: { container, key: "executive_summary_provider" } }];
  });
}

/** The providers named for summaries of tool results. An alert may select any server, so every chain can use them. */
function summarizers({ tarsy, mcpServers }: CheckContext): { name: string; reference: Target }[] {
  const ofServers = [...mcpServers.values()].flatMap(({ summarization }) =>
    summarization === undefined || summarization.enabled === false ? [] : [summarization],
  );
  const isDefaultUsed = ofServers.some(({ llm_provider }) => llm_provider === undefined);
  const ofDefaults = isDefaultUsed ? tarsy.defaults?.summarization : undefined;
  return [...ofServers, ofDefaults].flatMap((container) =>
    container?.llm_provider === undefined
      ? []
      : [{ name: container.llm_provider, reference: { container, key: "llm_provider" } }],
  );
}

type FallbackBlock = { fallback_providers?: (Loose<FallbackEntry> | undefined)[] };

/** Every provider that can take over in a chain: of each execution, the entries of the nearest list. */
function fallbackReferences(
  chain: Loose<ChainEntry>,
  defaults: FallbackBlock | undefined,
): { name: string; reference: Target }[] {
  const chains: (FallbackBlock | undefined)[] = [chain, defaults];
  const executions = (chain.stages ?? []).flatMap((stage) => {
    const agents = (stage?.agents ?? []).map((agent) => [agent, stage, ...chains]);
    const count = agents.length * replicasOf(stage ?? {}).max;
    return count > 1 ? [...agents, chains] : agents;
  });
  return executions.flatMap((levels) => {
    const nearest = levels.find((level) => level?.fallback_providers !== undefined);
    return (nearest?.fallback_providers ?? []).flatMap((entry) =>
      entry?.provider === undefined
        ? []
        : [{ name: entry.provider, reference: { container: entry, key: "provider" } }],
    );
  });
}

type ProviderBlock = { llm_provider?: string };

/** The block that may name the provider, for each part of a chain that calls an LLM. */
function providerBlocks(chain: Loose<ChainEntry>, context: CheckContext): ProviderBlock[][] {
  const blocks: ProviderBlock[][] = [];
  // A provider named for a chain counts as used by it even where every agent names another.
  if (chain.llm_provider !== undefined) blocks.push([]);
  for (const stage of chain.stages ?? []) {
    const { agents = [], synthesis } = stage ?? {};
    for (const agent of agents) if (agent !== undefined) blocks.push([agent]);
    const isSynthesized = agents.length * replicasOf(stage ?? {}).max > 1;
    if (isSynthesized) blocks.push(synthesis === undefined ? [] : [synthesis]);
  }
  if (chain.chat?.enabled === true) blocks.push([chain.chat]);
  const judge = [chain.scoring, context.tarsy.defaults?.scoring].filter((block) => block !== undefined);
  if (scoringBlock(chain, context) !== undefined) blocks.push(judge);
  return blocks;
}

function firstProvider(
  levels: readonly (ProviderBlock | undefined)[],
  { reporter, tarsy, providerByKey: name }: CheckContext,
): { name: string; reference: Target } | "invalid" | undefined {
  for (const level of levels) {
    if (level === undefined) continue;
    const { llm_provider: named } = level;
    if (named !== undefined) {
      return { name: named, reference: { container: level, key: "llm_provider" } };
    }
    if (reporter.sources.hasChild(level, "llm_provider")) return "invalid";
  }
  if (reporter.sources.hasChild(tarsy, "defaults") && tarsy.defaults === undefined) return "invalid";
  return name === undefined ? undefined : { name, reference: defaultProvider(tarsy) };
}

/** The key with which a file names the default provider, or would. */
function defaultProvider(tarsy: CheckContext["tarsy"]): Target {
  return { container: tarsy.defaults ?? tarsy, key: "llm_provider", path: "defaults.llm_provider" };
}

/**
 * Warns of each named provider whose model retires within 60 days or has retired: where its entry writes the model, else where a built-in
 * one is named first. `used` has the providers that chains need; chats, sub-agents and the defaults may name more.
 */
function checkRetirements(
  used: ReadonlyMap<string, { readonly reference: Target }>,
  context: CheckContext,
): void {
  const references = new Map([...used].map(([name, { reference }]) => [name, reference]));
  const { chains, tarsy, llmProviders, reporter, now } = context;
  const others = [...chains.values()].flatMap((chain) => [
    ...(chain.chat?.enabled === false ? [] : [chain.chat]),
    ...subAgentEntries(chain),
  ]);
  for (const container of [tarsy.defaults, ...others]) {
    const name = container?.llm_provider;
    if (container === undefined || name === undefined || references.has(name)) continue;
    references.set(name, { container, key: "llm_provider" });
  }
  for (const [name, reference] of references) {
    const entry = llmProviders.get(name);
    if (entry?.type === undefined || entry.model === undefined) continue;
    const { type, model, base_url } = entry;
    const notice = retirementNotice({ type, model, base_url }, now);
    if (notice === undefined) continue;
    const { says, successor = "another model" } = notice;
    if (reporter.sources.has(entry)) {
      reporter.warn({ container: entry, key: "model" }, says, `write ${successor}`);
    } else {
      const hint = `name another provider, or write an entry ${name} with ${successor} into llm-providers.yaml`;
      reporter.warn(reference, `has the model ${model}, which ${says}`, hint);
    }
  }
}
