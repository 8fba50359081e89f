/** Milliseconds from now that a header Retry-After asks to wait: seconds or an HTTP date (RFC 9110, 10.2.3); undefined for anything else. */
export function parseRetryAfter(value: string | null, nowMs = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d{1,9}\s*$/u.test(value)) return Number(value) * 1_000;
  const at = /^[A-Z][a-z]{2,8}, /u.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
