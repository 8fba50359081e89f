const DIGITS = 4;

/** An amount in USD for people: `$0.0123`, and two digits that count of a smaller one. */
export function usdShown(usd: number): string {
  if (usd === 0) return "$0";
  return usd >= 10 ** -DIGITS
    ? `$${usd.toFixed(DIGITS)}`
    : `$${Number(usd.toPrecision(2)).toFixed(12).replace(/0+$/u, "")}`;
}
