import { parseInstant } from "#shared/contracts/parse-instant.ts";

/** 24 days: a longer timer (over 2^31 - 1 ms) fires immediately. */
export const LONGEST_DURATION_MS = 576 * 3_600_000;

const UNIT_MS = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["µs", 1e-3],
  ["μs", 1e-3],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

const WHOLE = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/u;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/gu;

/**
 * Milliseconds of a duration in Go's notation (`500ms`, `1h30m`, `-1.5s`, `0`), or undefined for other text.
 * A duration between 0 and 1 ms becomes 1 ms, so that a positive setting stays positive.
 */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/u.test(text)) return 0;
  if (!WHOLE.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) {
    total += Number(amount) * (UNIT_MS.get(unit ?? "") ?? 0);
  }
  if (text.startsWith("-")) return -total;
  return total > 0 && total < 1 ? 1 : Math.round(total);
}

/** Milliseconds since the epoch of a time with its zone, or of a day's beginning in UTC; undefined for any other text. */
export function parseConfigInstant(text: string): number | undefined {
  return parseInstant(text) ?? parseInstant(`${text}T00:00:00Z`);
}
