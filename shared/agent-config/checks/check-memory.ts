import type { Loose } from "#shared/agent-config/check-shape.ts";
import { checkUrl } from "#shared/agent-config/checks/check-keys.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { embeddingOf } from "#shared/agent-config/embedding-of.ts";
import type { MemorySection } from "#shared/agent-config/schemas/memory-section.ts";
import { secretVariable } from "#shared/service/secret-variable.ts";

/** Checks `defaults.memory`. A key that is missing is no error: memories are then found by their words. */
export function checkMemory(memory: Loose<MemorySection>, { reporter, env }: CheckContext): void {
  const { embedding, enabled } = memory;
  if (embedding === undefined) return;
  checkUrl(embedding, "base_url", embedding.base_url, reporter);
  const target = { container: memory, key: "embedding" };
  if (enabled !== true) {
    reporter.warn(target, "has no effect without enabled: true");
    return;
  }
  const isBroken = reporter.sources.hasChild(embedding, "api_key_env") && embedding.api_key_env === undefined;
  const { api_key_env: variable } = embeddingOf({ ...embedding });
  if (variable === undefined || isBroken || secretVariable(env, variable) !== "") return;
  reporter.warn(
    embedding.api_key_env === undefined ? target : { container: embedding, key: "api_key_env" },
    `needs ${variable} to be set`,
    `until the LLM gateway has it, memories are found by their words alone`,
  );
}
