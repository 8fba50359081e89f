import { NO_TOKENS, type TokenUsage } from "#shared/database/append-events.ts";
import type { LlmReply } from "./call-llm.ts";

/** What a call used, by the provider's count; nothing where it did not say. */
export function replyTokens({ usage }: LlmReply): TokenUsage {
  if (usage === null) return NO_TOKENS;
  const { inputTokens, outputTokens, thinkingTokens, totalTokens } = usage;
  return { input: inputTokens, output: outputTokens, thinking: thinkingTokens, total: totalTokens };
}

/** The update that adds a call's tokens to those of its execution. */
export function tokenSums(tokens: TokenUsage) {
  return {
    input_tokens: () => `input_tokens + ${tokens.input}`,
    output_tokens: () => `output_tokens + ${tokens.output}`,
    thinking_tokens: () => `thinking_tokens + ${tokens.thinking}`,
    total_tokens: () => `total_tokens + ${tokens.total}`,
  };
}
