import type { ProxyTap, Verdict } from "./tcp-proxy.ts";

/** The last message of every answer: ReadyForQuery, whose length is 5. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);
const READY_LENGTH = READY.length + 1;
const KEPT_CHARS = 2_000;

/** What passes on one connection to Postgres, statement by statement. */
export interface StatementWatch {
  /** A statement is about to reach Postgres; `transaction` is what went before it, from its BEGIN. */
  asked?(sql: string, transaction: readonly string[]): Verdict;
  /** Its whole answer is about to reach the client: outside a transaction, and after COMMIT, it is durable by now. */
  answered?(sql: string, transaction: readonly string[]): Verdict;
}

/**
 * Follows the statements of one connection. Relies on what node-postgres does: one statement at a time, sent in one
 * piece, the next only after the answer.
 */
export function postgresTap(watch: StatementWatch): ProxyTap {
  let transaction: string[] = [];
  let statement = "";
  return {
    fromClient: (bytes) => {
      statement = bytes.toString("latin1", 0, KEPT_CHARS);
      if (/START TRANSACTION|BEGIN/u.test(statement)) transaction = [];
      const verdict = watch.asked?.(statement, transaction) ?? "forward";
      transaction.push(statement);
      return verdict;
    },
    fromServer: (bytes) => {
      const isComplete = bytes.subarray(-READY_LENGTH, -1).equals(READY);
      if (!isComplete) return "forward";
      const asked = statement;
      statement = "";
      const before = transaction;
      if (/\b(?:COMMIT|ROLLBACK)\b/u.test(asked)) transaction = [];
      return watch.answered?.(asked, before) ?? "forward";
    },
  };
}

/** Whether a statement ends its transaction for good. */
export function isCommit(sql: string): boolean {
  return /\bCOMMIT\b/u.test(sql.slice(0, 64));
}
