import type { LlmProvider } from "#shared/agent-config/agent-config.ts";
import { mergeEntries, completeProvider } from "#shared/agent-config/assemble-config.ts";
import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
import { checkLlmProvider } from "#shared/agent-config/checks/check-llm-providers.ts";
import { AgentConfigError, type ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { readCheckedFile } from "#shared/agent-config/read-checked-file.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { LlmProvidersFile } from "#shared/agent-config/schemas/llm-providers-file.ts";
import type { Environment } from "#shared/service/environment.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { checkUrl } from "#shared/agent-config/checks/check-context.ts";
import { embeddingOf, type EmbeddingSettings } from "#shared/agent-config/embedding-of.ts";
import { MemorySection } from "#shared/agent-config/schemas/memory-section.ts";

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

const PATH = "defaults.memory";

/** All of `tarsy.yaml` that says how memories are found. */
const File = Type.Object({
  defaults: Type.Optional(Type.Object({ memory: Type.Optional(MemorySection) })),
});

/**
 * Reads only `defaults.memory.embedding` of `tarsy.yaml`, for a process that needs neither the rest of the file nor the variables
 * that it inserts. Undefined if there is none, if memory is off, or if the file cannot be read, which the other services report.
 * Throws AgentConfigError with the mistakes of this section.
 */
export async function loadEmbedding(options: {
  configDir: string;
  env: Environment;
}): Promise<EmbeddingSettings | undefined> {
  const { configDir, env } = options;
  const reporter = new Reporter(env);
  const file = await readCheckedFile(configDir, "tarsy.yaml", File, reporter, env);
  const { enabled, embedding } = file?.value.defaults?.memory ?? {};
  if (embedding !== undefined) checkUrl(embedding, "base_url", embedding.base_url, reporter);
  const errors = reporter.errors().filter(({ path }) => path.startsWith(PATH));
  if (errors.length > 0) throw new AgentConfigError(errors, []);
  return enabled === true && embedding !== undefined ? embeddingOf({ ...embedding }) : undefined;
}
