import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { assembleConfig, mergeEntries } from "#shared/agent-config/assemble-config.ts";
import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
import { checkBudgets } from "#shared/agent-config/checks/check-llm-providers.ts";
import { checkConfig } from "#shared/agent-config/checks/check-config.ts";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { providerWithKey } from "#shared/agent-config/found/find-keys.ts";
import { readCheckedFile } from "#shared/agent-config/read-checked-file.ts";
import { readPacks } from "#shared/agent-config/read-packs.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { LlmProvidersFile } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";
import { readSkills } from "#shared/agent-config/skills/read-skills.ts";
import type { SourceMap } from "#shared/agent-config/source-map.ts";
import type { Environment } from "#shared/service/environment.ts";

/**
 * Reads `tarsy.yaml` and `llm-providers.yaml` of a directory with the values of `env` inserted, and its skills, merges them
 * over the built-ins and checks the whole. `env` should come from `readConfigEnvironment`. Throws
 * AgentConfigError with every mistake of all files; possible mistakes are in the result's `warnings`, also models that retire
 * soon, counted from `now`.
 */
export async function loadAgentConfig(options: {
  configDir: string;
  env: Environment;
  now?: Date;
}): Promise<AgentConfig> {
  const { configDir, env, now = new Date() } = options;
  const reporter = new Reporter(env);
  const { sources } = reporter;
  const [tarsy, providers, { skills, isComplete }] = await Promise.all([
    readCheckedFile(configDir, "tarsy.yaml", TarsyFile, reporter, env),
    readCheckedFile(configDir, "llm-providers.yaml", LlmProvidersFile, reporter, env),
    readSkills(configDir, reporter.add.bind(reporter)),
  ]);
  const packs = await readPacks(configDir, tarsy?.value, reporter, env);
  const builtIn = builtInConfig();
  const llmProviders = mergeEntries(builtIn.llmProviders, providers?.value.llm_providers);
  const providerByKey = providerWithKey(env, llmProviders);
  const checked = checkConfig({
    configDir,
    env,
    reporter,
    now,
    tarsy: tarsy?.value ?? {},
    names: {
      agents: knownNames(builtIn.agents, tarsy?.value, "agents", sources),
      mcpServers: knownNames(builtIn.mcpServers, tarsy?.value, "mcp_servers", sources),
      llmProviders: knownNames(builtIn.llmProviders, providers?.value, "llm_providers", sources),
      skills: isComplete ? new Set(skills.keys()) : undefined,
    },
    agents: mergeEntries(builtIn.agents, tarsy?.value.agents),
    chains: mergeEntries(builtIn.chains, tarsy?.value.agent_chains),
    mcpServers: mergeEntries(builtIn.mcpServers, tarsy?.value.mcp_servers),
    llmProviders,
    packs: packs.packs,
    providerByKey,
  });
  const errors = reporter.errors();
  const warnings = reporter.warnings();
  if (errors.length > 0 || tarsy?.valid !== true || providers?.valid !== true) {
    throw new AgentConfigError(errors, warnings);
  }
  const config = assembleConfig({
    configDir,
    env,
    tarsy: tarsy.value,
    providers: providers.value,
    builtIn,
    packs,
    skills,
    sources,
    warnings,
    providerByKey,
    ...checked,
  });
  // It needs chains with their providers resolved.
  checkBudgets(config, reporter);
  const budgetErrors = reporter.errors();
  if (budgetErrors.length > 0) throw new AgentConfigError(budgetErrors, warnings);
  return config;
}

/**
 * The names a reference to a section may use: the built-in ones and all written in it, those of invalid
 * entries included. Undefined if the file or the section could not be read.
 */
function knownNames(
  builtIn: ReadonlyMap<string, unknown>,
  file: object | undefined,
  section: string,
  sources: SourceMap,
): ReadonlySet<string> | undefined {
  if (file === undefined) return undefined;
  const entries: unknown = Reflect.get(file, section);
  if (typeof entries !== "object" || entries === null) {
    return sources.hasChild(file, section) ? undefined : new Set(builtIn.keys());
  }
  return new Set([...builtIn.keys(), ...sources.keys(entries)]);
}
