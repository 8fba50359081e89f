/**
 * Parses a Retry-After header (seconds or an HTTP date) to milliseconds from now; undefined if it is missing or
 * invalid.
 */
export function parseRetryAfter(header: string | null | undefined): number | undefined {
  if (header === undefined || header === null) return undefined;
  // A header that a proxy has repeated is one with a comma.
  const seconds = /^(\d{1,6}(?:\.\d+)?)s?(?:$|,)/u.exec(header)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1_000;
  if (!/[a-z]/iu.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
