import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";

/** How long one LLM call of an agent may take, in milliseconds: its iteration, or less if its provider's entry says so. */
export function callTimeoutMs({ iteration_timeout_ms, llm_provider }: ResolvedAgent): number {
  return Math.min(iteration_timeout_ms, llm_provider.call_timeout_ms ?? iteration_timeout_ms);
}
