/** SQLSTATE classes of transient failures (PostgreSQL manual, appendix A). */
const UNAVAILABLE_CLASSES = ["08", "53", "57"];
/** Single SQLSTATEs of transient failures, and the codes of Node's connection errors. */
const UNAVAILABLE_CODES = new Set([
  "40001",
  "40P01",
  "55P03",
  "25P03",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
/** Errors of the pool, pg and TypeORM without a code. A connection lost in mid-transaction is "already released". */
const MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|not connected|not queryable|already released/iu;

/** True when a failed statement may succeed later: the database was unreachable or overloaded, or a row was locked. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const inner: unknown[] = error instanceof AggregateError ? error.errors : [];
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return (
    UNAVAILABLE_CODES.has(code) ||
    UNAVAILABLE_CLASSES.some((prefix) => code.length === 5 && code.startsWith(prefix)) ||
    MESSAGES.test(error.message) ||
    inner.some((one) => isDatabaseUnavailable(one))
  );
}
