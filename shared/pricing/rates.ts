import { ratePerToken, type Picodollars } from "#shared/pricing/usd.ts";

/** Prices in USD per million tokens, with at most six decimals. */
export interface WrittenRates {
  readonly input_per_million: number;
  readonly output_per_million: number;
  /** Input read from the provider's cache; absent: as other input. */
  readonly cached_input_per_million?: number;
  /** Input written to the provider's cache; absent: as other input. */
  readonly cache_write_per_million?: number;
  /** Thinking; absent: as output. */
  readonly reasoning_per_million?: number;
}

/** Prices of one token. */
export interface Rates {
  readonly input: Picodollars;
  readonly cachedInput: Picodollars;
  readonly cacheWrite: Picodollars;
  readonly output: Picodollars;
  readonly thinking: Picodollars;
}

/** Reads rates. Throws RangeError for one that the configuration's checks refuse. */
export function readRates(written: WrittenRates): Rates {
  const input = exactly(written.input_per_million);
  const output = exactly(written.output_per_million);
  const or = (rate: number | undefined, other: Picodollars) => (rate === undefined ? other : exactly(rate));
  return {
    input,
    cachedInput: or(written.cached_input_per_million, input),
    cacheWrite: or(written.cache_write_per_million, input),
    output,
    thinking: or(written.reasoning_per_million, output),
  };
}

function exactly(rate: number): Picodollars {
  const perToken = ratePerToken(rate);
  if (perToken === undefined) {
    throw new RangeError(`a rate of ${rate} USD per million tokens has no exact price`);
  }
  return perToken;
}
