import type { UsageInfo } from "#shared/generated/llm/v1/llm.ts";
import type { AnthropicUsage, LangchainUsage } from "./langchain-chunk.ts";

const MAX_INT32 = 2_147_483_647;

/** Adds up what an answer's chunks say about tokens; providers report in pieces, repeatedly, or not at all. */
export class LangchainUsageCounter {
  #input = 0;
  #output = 0;
  #reasoning = 0;
  #total = 0;
  #isKnown = false;

  /** Takes LangChain's figures of one chunk; each is the whole so far. */
  add(usage: LangchainUsage): void {
    this.#isKnown = true;
    this.#input = Math.max(this.#input, usage.input_tokens ?? 0);
    this.#output = Math.max(this.#output, usage.output_tokens ?? 0);
    this.#reasoning = Math.max(this.#reasoning, usage.output_token_details?.reasoning ?? 0);
    this.#total = Math.max(this.#total, usage.total_tokens ?? 0);
  }

  /** Takes Anthropic's own figures, in which cached input is no part of the input. */
  addAnthropic(usage: AnthropicUsage): void {
    const cached = (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
    this.#input = Math.max(this.#input, (usage.input_tokens ?? 0) + cached);
    this.#reasoning = Math.max(this.#reasoning, usage.output_tokens_details?.thinking_tokens ?? 0);
  }

  /**
   * The whole answer's usage; undefined where the provider said nothing. Cached input counts as input. Thinking is no
   * part of the output: most providers include it there, xAI does not, which shows in the total.
   */
  result(): UsageInfo | undefined {
    if (!this.#isKnown) return undefined;
    const isSeparate = this.#total >= this.#input + this.#output + this.#reasoning;
    const output = isSeparate ? this.#output : Math.max(0, this.#output - this.#reasoning);
    return {
      inputTokens: count(this.#input),
      outputTokens: count(output),
      thinkingTokens: count(this.#reasoning),
      totalTokens: count(Math.max(this.#total, this.#input + output + this.#reasoning)),
    };
  }
}

/** The wire carries 32 bits; what does not fit must not fail the call that was answered. */
function count(value: number): number {
  return Math.min(MAX_INT32, Math.max(0, Math.trunc(value)));
}
