import type { ConversationMessage, UsageInfo } from "#shared/generated/llm/v1/llm.ts";
import type { Content } from "../provider.ts";

const CHARACTERS_PER_TOKEN = 4;

/** Estimates a call's tokens as a quarter of its code units, so equal calls have equal usage. */
export class UsageEstimate {
  readonly #input: number;
  #output = 0;
  #thinking = 0;

  constructor(messages: readonly ConversationMessage[]) {
    this.#input = messages.reduce(
      (sum, { content, toolCalls }) =>
        sum + content.length + toolCalls.reduce((inner, call) => inner + callLength(call), 0),
      0,
    );
  }

  /** Counts one chunk of the answer. */
  add(content: Content): void {
    if (content.$case === "thinking") this.#thinking += content.value.content.length;
    if (content.$case === "text") this.#output += content.value.content.length;
    if (content.$case === "toolCall") this.#output += callLength(content.value);
  }

  /** The tokens so far. */
  total(): UsageInfo {
    const inputTokens = Math.ceil(this.#input / CHARACTERS_PER_TOKEN);
    const outputTokens = Math.ceil(this.#output / CHARACTERS_PER_TOKEN);
    const thinkingTokens = Math.ceil(this.#thinking / CHARACTERS_PER_TOKEN);
    return {
      inputTokens,
      outputTokens,
      thinkingTokens,
      totalTokens: inputTokens + outputTokens + thinkingTokens,
    };
  }
}

function callLength(call: { readonly name: string; readonly arguments: string }): number {
  return call.name.length + call.arguments.length;
}
