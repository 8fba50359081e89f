import { findListedPrice } from "#shared/pricing/find-listed-price.ts";
import { PRICE_SNAPSHOT } from "#shared/pricing/price-snapshot.ts";
import { readRates, type WrittenRates, type Rates } from "#shared/pricing/rates.ts";
import type { Picodollars } from "#shared/pricing/usd.ts";

/** Rates of a model for a time. */
export interface Promotion extends WrittenRates {
  readonly id?: string;
  readonly model: string;
  /** Milliseconds since the epoch; absent: since ever. */
  readonly startMs?: number;
  /** The first moment after it; absent: for ever. */
  readonly endMs?: number;
}

/** The prices that the operator has set; rates have been checked. */
export interface CostEstimation {
  readonly enabled: boolean;
  /** Keyed by the model's exact name. */
  readonly modelRates: ReadonlyMap<string, WrittenRates>;
  /** Those of one model do not overlap. */
  readonly promotions: readonly Promotion[];
}

/** A call's price and where it comes from. */
export interface Price {
  readonly usd: Picodollars;
  /** `promotion:<id>`, `override`, or `snapshot:<date>`. */
  readonly source: string;
}

/**
 * Prices a call that ended at `atMs`: by a promotion of its model that is on, else by the operator's rates, else by the snapshot.
 * Null if estimation is off or the model has no price.
 */
export function priceCall(
  { enabled, modelRates, promotions }: CostEstimation,
  provider: { readonly type: string; readonly model: string },
  tokens: ChargedTokens,
  atMs: number,
): Price | null {
  if (!enabled) return null;
  const promotion = promotions.find((each) => each.model === provider.model && isOn(each, atMs));
  if (promotion !== undefined) {
    return {
      usd: costOf(tokens, readRates(promotion)),
      source: `promotion:${promotion.id ?? provider.model}`,
    };
  }
  const override = modelRates.get(provider.model);
  if (override !== undefined) return { usd: costOf(tokens, readRates(override)), source: "override" };
  const listed = findListedPrice(provider);
  if (listed === undefined) return null;
  const tier = listed.tiers?.findLast(({ above }) => tokens.input > above);
  return { usd: costOf(tokens, readRates(tier ?? listed)), source: `snapshot:${PRICE_SNAPSHOT.date}` };
}

function isOn({ startMs = -Infinity, endMs = Infinity }: Promotion, atMs: number): boolean {
  return startMs <= atMs && atMs < endMs;
}

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
function costOf(tokens: ChargedTokens, rates: Rates): Picodollars {
  const plain = Math.max(0, tokens.input - tokens.cachedInput - tokens.cacheWrite);
  return (
    BigInt(plain) * rates.input +
    BigInt(tokens.cachedInput) * rates.cachedInput +
    BigInt(tokens.cacheWrite) * rates.cacheWrite +
    BigInt(tokens.output) * rates.output +
    BigInt(tokens.thinking) * rates.thinking
  );
}
