import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";

/** What a session stores of `defaults.memory` where that is enabled: of the embedding only what names its vectors. */
export function resolveMemory({
  defaults: { memory },
}: Pick<AgentConfig, "defaults">): NonNullable<ResolvedChain["memory"]> {
  const { max_inject, reflector_memory_limit, embedding } = memory;
  if (embedding === undefined) return { max_inject, reflector_memory_limit };
  const { provider, model, dimensions } = embedding;
  return { max_inject, reflector_memory_limit, embedding: { provider, model, dimensions } };
}
