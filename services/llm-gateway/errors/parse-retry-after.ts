/**
 * Parses a Retry-After header (seconds or an HTTP date) to milliseconds from now; `precise` is the header `retry-after-ms`, which
 * counts if it is there. Undefined if both are missing or invalid.
 */
export function parseRetryAfter(
  header: string | null | undefined,
  precise?: string | readonly string[] | null,
): number | undefined {
  const preciseMs = Number(precise ?? Number.NaN);
  if (preciseMs >= 0) return preciseMs;
  if (header === undefined || header === null) return undefined;
  // A header that a proxy has repeated is one with a comma.
  const seconds = /^(\d{1,6}(?:\.\d+)?)s?(?:$|,)/u.exec(header)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1_000;
  if (!/[a-z]/iu.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
