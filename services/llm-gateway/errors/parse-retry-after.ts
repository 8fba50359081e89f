/**
 * Parses a Retry-After header (seconds or an HTTP date) to milliseconds from now; undefined if it is missing or
 * invalid.
 */
export function parseRetryAfter(header: string | null | undefined): number | undefined {
  if (header === undefined || header === null) return undefined;
  if (/^\d{1,6}(?:\.\d+)?$/u.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
