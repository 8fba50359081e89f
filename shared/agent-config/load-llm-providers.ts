import type { LlmProvider } from "#shared/agent-config/agent-config.ts";
import { mergeEntries } from "#shared/agent-config/assemble-config.ts";
import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
import { checkLlmProvider } from "#shared/agent-config/checks/check-llm-providers.ts";
import { completeProvider } from "#shared/agent-config/complete-provider.ts";
import { AgentConfigError, type ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { readCheckedFile } from "#shared/agent-config/read-checked-file.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { LlmProvidersFile } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { Environment } from "#shared/service/environment.ts";

/** The LLM providers of a configuration directory by name, the built-in ones included. */
interface LoadedProviders {
  readonly providers: ReadonlyMap<string, LlmProvider>;
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Reads only `llm-providers.yaml`, as `loadAgentConfig` does, for a process that needs neither the chains nor the variables
 * that `tarsy.yaml` inserts. Throws AgentConfigError with every mistake. Whether keys and scripts of the providers exist is
 * not checked.
 */
export async function loadLlmProviders(options: {
  configDir: string;
  env: Environment;
}): Promise<LoadedProviders> {
  const { configDir, env } = options;
  const reporter = new Reporter(env);
  const file = await readCheckedFile(configDir, "llm-providers.yaml", LlmProvidersFile, reporter, env);
  for (const provider of Object.values(file?.value.llm_providers ?? {})) {
    if (provider !== undefined) checkLlmProvider(provider, reporter);
  }
  const errors = reporter.errors();
  const warnings = reporter.warnings();
  if (errors.length > 0 || file?.valid !== true) throw new AgentConfigError(errors, warnings);
  const merged = mergeEntries(builtInConfig().llmProviders, file.value.llm_providers);
  return {
    providers: new Map([...merged].map(([name, entry]) => [name, completeProvider(entry, env)])),
    warnings,
  };
}
