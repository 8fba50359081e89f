import type { ProxyTap, TapDecision } from "./tcp-proxy.ts";

/** ReadyForQuery, with length 5, ends every answer. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);
const READY_LENGTH = READY.length + 1;
const STATEMENT_CHARS = 32_000;
const HEAD_CHARS = 64;

/** Decides about each statement of one connection to Postgres. */
export interface StatementWatch {
  /** Before a statement reaches Postgres, with its parameters; `transaction` holds the statements before it, from its BEGIN. */
  asked?(sql: string, transaction: readonly string[]): TapDecision;
  /** Before the end of its answer reaches the client. A COMMIT, or a statement outside a transaction, is durable by now. */
  answered?(sql: string, transaction: readonly string[]): TapDecision;
}

/**
 * Follows the statements of one connection. Relies on node-postgres sending one statement at a time, in one piece, and
 * the next only after the answer.
 */
export function postgresTap(watch: StatementWatch): ProxyTap {
  /** The texts of prepared statements by name: they are sent once. */
  const prepared = new Map<string, string>();
  let transaction: string[] = [];
  let statement = "";
  return {
    fromClient: (bytes) => {
      const sent = bytes.toString("latin1", 0, STATEMENT_CHARS);
      statement = `${statementText(sent, prepared)}\n${sent}`;
      if (/START TRANSACTION|BEGIN/u.test(statement.slice(0, HEAD_CHARS))) transaction = [];
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
      if (/\b(?:COMMIT|ROLLBACK)\b/u.test(asked.slice(0, HEAD_CHARS))) transaction = [];
      return watch.answered?.(asked, before) ?? "forward";
    },
  };
}

/** Parse: its length, the statement's name, its text. Bind: its length, the portal's name, the statement's name. */
const PARSE = /^P[\s\S]{4}(?<name>[^\0]*)\0(?<text>[^\0]*)/u;
const BIND = /^B[\s\S]{4}[^\0]*\0(?<name>[^\0]*)\0/u;

function statementText(sent: string, prepared: Map<string, string>): string {
  const parsed = PARSE.exec(sent)?.groups;
  if (parsed?.["text"] !== undefined) {
    prepared.set(parsed["name"] ?? "", parsed["text"]);
    return parsed["text"];
  }
  const bound = BIND.exec(sent)?.groups?.["name"];
  // BEGIN and COMMIT are sent as they are, and are not the statement without a name that was prepared last.
  return bound === undefined ? "" : (prepared.get(bound) ?? "");
}

/** Whether a statement commits: a COMMIT, or a session's claim or step, which is a transaction of its own. */
export function isCommit(sql: string): boolean {
  return /\bCOMMIT\b/u.test(sql.slice(0, HEAD_CHARS)) || /\b(?:fence|claim) AS \(/u.test(sql);
}
