/** Tokens that LLM calls have used, by the provider's count. */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly thinking: number;
  readonly total: number;
}

export const NO_TOKENS: TokenUsage = { input: 0, output: 0, thinking: 0, total: 0 };

export function addTokens(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    thinking: one.thinking + other.thinking,
    total: one.total + other.total,
  };
}
