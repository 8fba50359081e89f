import type { ProxyTap, TapDecision } from "./tcp-proxy.ts";

/** ReadyForQuery, with length 5, ends every answer. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);
const READY_LENGTH = READY.length + 1;
const STATEMENT_CHARS = 2_000;

/** Decides about each statement of one connection to Postgres. */
export interface StatementWatch {
  /** Before a statement reaches Postgres; `transaction` holds the statements before it, from its BEGIN. */
  asked?(sql: string, transaction: readonly string[]): TapDecision;
  /** Before the end of its answer reaches the client. A COMMIT, or a statement outside a transaction, is durable by now. */
  answered?(sql: string, transaction: readonly string[]): TapDecision;
}

/**
 * Follows the statements of one connection. Relies on node-postgres sending one statement at a time, in one piece, and
 * the next only after the answer.
 */
export function postgresTap(watch: StatementWatch): ProxyTap {
  let transaction: string[] = [];
  let statement = "";
  return {
    fromClient: (bytes) => {
      statement = bytes.toString("latin1", 0, STATEMENT_CHARS);
      if (/START TRANSACTION|BEGIN/u.test(statement)) transaction = [];
      const decision = watch.asked?.(statement, transaction) ?? "forward";
      transaction.push(statement);
      return decision;
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

/** Whether a statement is a COMMIT. */
export function isCommit(sql: string): boolean {
  return /\bCOMMIT\b/u.test(sql.slice(0, 64));
}
