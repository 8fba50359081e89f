/** SQLSTATE classes that say "not now" rather than "not so": see appendix A of the PostgreSQL manual. */
const UNAVAILABLE_CLASSES = ["08", "53", "57"];
/** The same for single SQLSTATEs, and what Node's sockets say when nobody is there. */
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
/** The errors of the pool, the driver and TypeORM carry no code; a connection cut in mid-transaction is "released". */
const MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|not connected|not queryable|already released/iu;

/** True when a failed statement may succeed later because the database was away, overloaded or busy with a lock. */
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
