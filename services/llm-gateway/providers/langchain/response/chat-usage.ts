import type { JsonObject } from "#shared/json-object.ts";
import { isObject } from "#shared/exact-json.ts";

/**
 * Collects the usage of one chat completion. Servers report it in a chunk of its own, in the last choice, in every chunk, or its parts
 * in several chunks; each value is the total so far.
 */
export class ChatUsage {
  #input = 0;
  #output = 0;
  #total = 0;
  #cached = 0;
  #written = 0;
  #reasoning = 0;
  #isKnown = false;

  /** Takes what one place of a chunk holds, unchecked. */
  add(usage: unknown): void {
    if (!isObject(usage)) return;
    this.#isKnown = true;
    const input = details(usage, "prompt_tokens_details", "input_tokens_details");
    const output = details(usage, "completion_tokens_details", "output_tokens_details");
    const { prompt_tokens: prompt, completion_tokens: completion } = usage;
    this.#input = largest(this.#input, prompt, usage["input_tokens"]);
    this.#output = largest(this.#output, completion, usage["output_tokens"]);
    this.#total = largest(this.#total, usage["total_tokens"]);
    // DeepSeek's and Moonshot's names follow OpenAI's.
    const { prompt_cache_hit_tokens: hits, cached_tokens: cached } = usage;
    this.#cached = largest(this.#cached, input["cached_tokens"], hits, cached);
    this.#written = largest(this.#written, input["cache_write_tokens"]);
    this.#reasoning = largest(this.#reasoning, output["reasoning_tokens"], usage["reasoning_tokens"]);
  }

  /** The usage so far in OpenAI's form; undefined if none was reported. */
  get all(): JsonObject | undefined {
    if (!this.#isKnown) return undefined;
    return {
      prompt_tokens: this.#input,
      completion_tokens: this.#output,
      total_tokens: this.#total,
      prompt_tokens_details: { cached_tokens: this.#cached, cache_write_tokens: this.#written },
      completion_tokens_details: { reasoning_tokens: this.#reasoning },
    };
  }
}

function details(usage: JsonObject, ...names: readonly string[]): JsonObject {
  return names.map((name) => usage[name]).find(isObject) ?? {};
}

function largest(known: number, ...values: readonly unknown[]): number {
  return Math.max(known, ...values.filter((value) => typeof value === "number"));
}
