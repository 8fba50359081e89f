/**
 * Money as whole picodollars (10⁻¹² USD): a rate of six decimals in USD per million tokens is a whole number of them per token,
 * so that costs and their sums are exact.
 */
export type Picodollars = bigint;

const DECIMALS = 12;
const RATE_DECIMALS = 6;

/** The amount as decimal text with 12 decimals, as Postgres' `numeric` takes it. */
export function usdText(amount: Picodollars): string {
  const digits = amount.toString().padStart(DECIMALS + 1, "0");
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/** The amount that `usdText` wrote. */
export function parseUsd(text: string): Picodollars {
  return BigInt(text.replace(".", ""));
}

/** Picodollars per token of a rate in USD per million tokens; undefined if it is negative or has more than six decimals. */
export function ratePerToken(usdPerMillion: number): Picodollars | undefined {
  // The shortest decimal that reads as this number is the one that was written.
  const [, whole, fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/u.exec(String(usdPerMillion)) ?? [];
  if (whole === undefined) return undefined;
  const shift = RATE_DECIMALS - fraction.length + Number(exponent);
  return shift < 0 ? undefined : BigInt(whole + fraction) * 10n ** BigInt(shift);
}

/** False for an amount or a rate in USD that is negative or has more than six decimals. */
export function hasSixDecimals(usd: number): boolean {
  return ratePerToken(usd) !== undefined;
}
