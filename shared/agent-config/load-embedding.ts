import { Type } from "#shared/generated/typebox/typebox.mjs";
import { checkUrl } from "#shared/agent-config/checks/check-context.ts";
import { AgentConfigError } from "#shared/agent-config/config-problem.ts";
import { embeddingOf, type EmbeddingSettings } from "#shared/agent-config/embedding-of.ts";
import { readCheckedFile } from "#shared/agent-config/read-checked-file.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { MemorySection } from "#shared/agent-config/schemas/memory-section.ts";
import type { Environment } from "#shared/service/environment.ts";

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
