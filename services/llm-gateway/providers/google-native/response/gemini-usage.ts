import type { UsageInfo } from "#shared/generated/llm/v1/llm.ts";
import { tokenCount } from "../../token-count.ts";
import type { GeminiUsage } from "./gemini-chunk.ts";

export const NO_USAGE: UsageInfo = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, totalTokens: 0 };

/** Converts Gemini's usage. Tokens of the results of native tools count as input, and so do those of its cache. */
export function geminiUsage(usage: GeminiUsage = {}): UsageInfo {
  const inputTokens = tokenCount(
    tokenCount(usage.promptTokenCount) + tokenCount(usage.toolUsePromptTokenCount),
  );
  const outputTokens = tokenCount(usage.candidatesTokenCount);
  const thinkingTokens = tokenCount(usage.thoughtsTokenCount);
  const total = tokenCount(usage.totalTokenCount);
  const cachedInputTokens = tokenCount(usage.cachedContentTokenCount);
  return {
    inputTokens,
    outputTokens,
    thinkingTokens,
    totalTokens: total > 0 ? total : tokenCount(inputTokens + outputTokens + thinkingTokens),
    ...(cachedInputTokens > 0 ? { cachedInputTokens } : {}),
  };
}

/** The sum of two usages, for an answer that Gemini splits into several responses. */
export function addUsage(first: UsageInfo, second: UsageInfo): UsageInfo {
  const cachedInputTokens = tokenCount((first.cachedInputTokens ?? 0) + (second.cachedInputTokens ?? 0));
  return {
    ...(cachedInputTokens > 0 ? { cachedInputTokens } : {}),
    inputTokens: tokenCount(first.inputTokens + second.inputTokens),
    outputTokens: tokenCount(first.outputTokens + second.outputTokens),
    thinkingTokens: tokenCount(first.thinkingTokens + second.thinkingTokens),
    totalTokens: tokenCount(first.totalTokens + second.totalTokens),
  };
}
