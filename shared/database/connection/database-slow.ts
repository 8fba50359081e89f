/** SQLSTATEs of our own limits: statement_timeout (query_canceled) and lock_timeout (lock_not_available). */
const SLOW_CODES = new Set(["57014", "55P03"]);

/** True when a statement ended because it exceeded our own time limit: the database answers, but too slowly. */
export function isDatabaseSlow(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && SLOW_CODES.has(error.code)
  );
}
