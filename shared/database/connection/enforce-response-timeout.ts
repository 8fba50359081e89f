import type { Client } from "pg";

/**
 * Destroys a connection whose server leaves a statement unanswered for `limitMs`, e.g. on a half-open link. The
 * statement then fails with ETIMEDOUT, and the pool drops the connection. The driver's own `query_timeout` only fails
 * the statement: the pool would go on using the dead connection.
 */
export function enforceResponseTimeout({ connection }: Client, limitMs: number): void {
  let timer: NodeJS.Timeout | undefined;
  const onRequest = () => {
    timer ??= setTimeout(() => connection.stream.destroy(new ResponseTimeoutError(limitMs)), limitMs);
  };
  const onResponse = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  // Every request ends with one of these two calls, and every response with ReadyForQuery.
  const query = connection.query.bind(connection);
  const sync = connection.sync.bind(connection);
  connection.query = (text) => {
    onRequest();
    query(text);
  };
  connection.sync = () => {
    onRequest();
    sync();
  };
  connection.on("readyForQuery", onResponse);
  connection.on("end", onResponse);
}

class ResponseTimeoutError extends Error {
  readonly code = "ETIMEDOUT";

  constructor(limitMs: number) {
    super(`Postgres did not answer within ${limitMs / 1_000} s: the connection was cut`);
  }
}
