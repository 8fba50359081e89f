import type { Rates } from "#shared/pricing/rates.ts";
import type { Picodollars } from "#shared/pricing/usd.ts";

/** Tokens of a call as the llm-gateway reports them; whole numbers. */
export interface ChargedTokens {
  /** All input, cached or not. */
  readonly input: number;
  /** The part of the input that was read from the provider's cache. */
  readonly cachedInput: number;
  /** The part of the input that was written to it. */
  readonly cacheWrite: number;
  /** Excludes thinking. */
  readonly output: number;
  readonly thinking: number;
}

/** The price of the tokens at these rates, exactly. Cached input is counted once: as cached, not as input. */
export function costOf(tokens: ChargedTokens, rates: Rates): Picodollars {
  const plain = Math.max(0, tokens.input - tokens.cachedInput - tokens.cacheWrite);
  return (
    BigInt(plain) * rates.input +
    BigInt(tokens.cachedInput) * rates.cachedInput +
    BigInt(tokens.cacheWrite) * rates.cacheWrite +
    BigInt(tokens.output) * rates.output +
    BigInt(tokens.thinking) * rates.thinking
  );
}
