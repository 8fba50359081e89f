import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { CHARS_PER_TOKEN } from "#shared/contracts/chars-per-token.ts";

/** The part of what a model takes that the history may have; the rest is for the alert, the tools and their results. */
const HISTORY_SHARE = 0.5;

/**
 * How many bytes of history a question may be sent with. The smallest of the providers that may answer decides: with a limit
 * of each provider, a change of the provider would change the history.
 */
export function chatHistoryBytes(
  { llm_provider, fallback_providers = [] }: Pick<ResolvedAgent, "llm_provider" | "fallback_providers">,
  maxMessageBytes: number,
): number {
  const tokens = [llm_provider, ...fallback_providers].map((provider) => provider.max_tool_result_tokens);
  return HISTORY_SHARE * Math.min(maxMessageBytes, Math.min(...tokens) * CHARS_PER_TOKEN);
}
