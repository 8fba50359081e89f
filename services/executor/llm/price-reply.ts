import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import { priceCall, type CostEstimation, type Price } from "#shared/pricing/price-call.ts";
import type { DatabaseClock } from "../core/wait.ts";
import type { LlmReply } from "./llm-reply.ts";

/** Who prices a call: how, and at which time. */
export interface Pricing extends DatabaseClock {
  readonly costEstimation: CostEstimation;
}

/**
 * What a reply costs, by the prices of the time at which it is recorded. Null if the model has no price, or the provider said
 * nothing about tokens. Failed calls cost what their tokens do.
 */
export function priceReply(
  pricing: Pricing,
  provider: Pick<ResolvedProvider, "type" | "model">,
  { usage }: Pick<LlmReply, "usage">,
): Price | null {
  if (usage === null || usage.totalTokens === 0) return null;
  const tokens = {
    input: usage.inputTokens,
    cachedInput: usage.cachedInputTokens ?? 0,
    cacheWrite: usage.cacheWriteTokens ?? 0,
    output: usage.outputTokens,
    thinking: usage.thinkingTokens,
  };
  return priceCall(pricing.costEstimation, provider, tokens, pricing.databaseNow());
}
