import { parseInstant } from "#shared/contracts/parse-instant.ts";

/** Milliseconds since the epoch of a time with its zone, or of a day's beginning in UTC; undefined for any other text. */
export function parseConfigInstant(text: string): number | undefined {
  return parseInstant(text) ?? parseInstant(`${text}T00:00:00Z`);
}
