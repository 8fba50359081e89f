import type { UsageInfo } from "#shared/generated/llm/v1/llm.ts";
import { tokenCount } from "../../token-count.ts";
import type { LangchainUsage } from "./langchain-chunk.ts";

/** Collects the token usage of one answer; providers report it in pieces, repeatedly or not at all. */
export class LangchainUsageCounter {
  #input = 0;
  #output = 0;
  #reasoning = 0;
  #total = 0;
  #cached = 0;
  #written = 0;
  #isKnown = false;

  /** Takes LangChain's usage of one chunk; each value is the total so far. */
  add(usage: LangchainUsage): void {
    this.#isKnown = true;
    this.#input = Math.max(this.#input, usage.input_tokens ?? 0);
    this.#output = Math.max(this.#output, usage.output_tokens ?? 0);
    this.#reasoning = Math.max(this.#reasoning, usage.output_token_details?.reasoning ?? 0);
    this.#total = Math.max(this.#total, usage.total_tokens ?? 0);
    this.#cached = Math.max(this.#cached, usage.input_token_details?.cache_read ?? 0);
    this.#written = Math.max(this.#written, usage.input_token_details?.cache_creation ?? 0);
  }

  /**
   * The answer's usage; undefined if the provider reported none. Cached input counts as input; thinking does not count
   * as output. Most providers include thinking in their output tokens; that xAI does not is visible in its total.
   */
  result(): UsageInfo | undefined {
    if (!this.#isKnown) return undefined;
    const isSeparate = this.#total >= this.#input + this.#output + this.#reasoning;
    const output = isSeparate ? this.#output : Math.max(0, this.#output - this.#reasoning);
    const [cachedInputTokens, cacheWriteTokens] = [tokenCount(this.#cached), tokenCount(this.#written)];
    return {
      ...(cachedInputTokens > 0 ? { cachedInputTokens } : {}),
      ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
      inputTokens: tokenCount(this.#input),
      outputTokens: tokenCount(output),
      thinkingTokens: tokenCount(this.#reasoning),
      totalTokens: tokenCount(Math.max(this.#total, this.#input + output + this.#reasoning)),
    };
  }
}
