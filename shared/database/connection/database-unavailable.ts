/** SQLSTATE classes of transient failures (PostgreSQL manual, appendix A). */
const UNAVAILABLE_CLASSES = ["08", "53"];
/** Single SQLSTATEs of transient failures, and the codes of Node's connection errors. */
const UNAVAILABLE_CODES = new Set([
  // The server stops, has crashed or starts; or it closed an idle connection. The rest of class 57 is about statements.
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "40001",
  "40P01",
  "25P03",
  // The server has become a standby: a new connection may lead to the primary.
  "25006",
  // A pooler has lost a prepared statement: the next try does without (prepared-statements.ts).
  "26000",
  "42P05",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
/** Errors of the pool, pg and TypeORM without a code. A connection lost in mid-transaction is "already released". */
const MESSAGES =
  /connection terminated|timeout expired|timeout exceeded when trying to connect|not connected|not queryable|already released/iu;

/**
 * True when a failed statement may succeed later because the database was unreachable, stopping or out of resources. A
 * statement that ran into a timeout is `isDatabaseSlow`: repeating it may take as long again.
 */
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
