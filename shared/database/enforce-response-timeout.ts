import type { Client } from "pg";

/**
 * Cuts a connection whose server leaves a statement unanswered for `limitMs`, as a peer does that vanished without
 * closing; the statement then fails with ETIMEDOUT, and the pool drops the connection. The driver's own
 * `query_timeout` would give up the statement only, and its dead connection would be handed out again.
 */
export function cutWhenSilent({ connection }: Client, limitMs: number): void {
  let silence: NodeJS.Timeout | undefined;
  const asked = () => {
    silence ??= setTimeout(() => connection.stream.destroy(new SilentServerError(limitMs)), limitMs);
  };
  const answered = () => {
    clearTimeout(silence);
    silence = undefined;
  };
  // Each of these two ends a request; the server ends its answer to either by being ready for the next.
  const query = connection.query.bind(connection);
  const sync = connection.sync.bind(connection);
  connection.query = (text) => {
    asked();
    query(text);
  };
  connection.sync = () => {
    asked();
    sync();
  };
  connection.on("readyForQuery", answered);
  connection.on("end", answered);
}

class SilentServerError extends Error {
  readonly code = "ETIMEDOUT";

  constructor(limitMs: number) {
    super(`Postgres did not answer within ${limitMs / 1_000} s: the connection was cut`);
  }
}
