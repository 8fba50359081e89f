import { AgentConfigError } from "#shared/agent-config/agent-config-error.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { assembleConfig } from "#shared/agent-config/assemble-config.ts";
import { shapeChecker } from "#shared/agent-config/check-shape.ts";
import { checkConfig } from "#shared/agent-config/checks/check-config.ts";
import type { Environment } from "#shared/agent-config/config-environment.ts";
import { knownNames } from "#shared/agent-config/known-names.ts";
import { makeBuiltIns, mergeEntries } from "#shared/agent-config/merge-config.ts";
import { readCheckedFile } from "#shared/agent-config/read-checked-file.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { LlmProvidersFile } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";

const checkTarsyFile = shapeChecker(TarsyFile);
const checkLlmProvidersFile = shapeChecker(LlmProvidersFile);

/**
 * Reads `tarsy.yaml` and `llm-providers.yaml` of a directory with the values of `env` inserted, merges them
 * over the built-ins and checks the whole. `env` should come from `readConfigEnvironment`. Throws
 * AgentConfigError with every mistake of both files; what may be a mistake is in the result's `warnings`.
 */
export async function loadAgentConfig(options: {
  configDir: string;
  env: Environment;
}): Promise<AgentConfig> {
  const { configDir, env } = options;
  const reporter = new Reporter(env);
  const [tarsy, providers] = await Promise.all([
    readCheckedFile(configDir, "tarsy.yaml", TarsyFile, checkTarsyFile, reporter, env),
    readCheckedFile(configDir, "llm-providers.yaml", LlmProvidersFile, checkLlmProvidersFile, reporter, env),
  ]);
  const builtIns = makeBuiltIns(env);
  const checked = checkConfig({
    configDir,
    env,
    reporter,
    tarsy: tarsy?.value ?? {},
    names: {
      agents: knownNames(builtIns.agents, tarsy?.value, "agents", reporter.sources),
      mcpServers: knownNames(builtIns.mcpServers, tarsy?.value, "mcp_servers", reporter.sources),
      llmProviders: knownNames(builtIns.llmProviders, providers?.value, "llm_providers", reporter.sources),
    },
    agents: mergeEntries(builtIns.agents, tarsy?.value.agents),
    chains: mergeEntries(builtIns.chains, tarsy?.value.agent_chains),
    mcpServers: mergeEntries(builtIns.mcpServers, tarsy?.value.mcp_servers),
    llmProviders: mergeEntries(builtIns.llmProviders, providers?.value.llm_providers),
  });
  const { report } = reporter;
  const errors = report.errors();
  if (errors.length > 0 || tarsy?.valid !== true || providers?.valid !== true) {
    throw new AgentConfigError(errors, report.warnings(), report.dropped);
  }
  return assembleConfig({
    configDir,
    env,
    tarsy: tarsy.value,
    providers: providers.value,
    builtIns,
    sources: reporter.sources,
    warnings: report.warnings(),
    ...checked,
  });
}
