import { createHash } from "node:crypto";
import type { Logger } from "#shared/service/logger.ts";

/** Far more than the statements of a service: a text that is built from data must not fill the server's memory. */
const MAX_STATEMENTS = 500;

/** "prepared statement does not exist" and "already exists": a pooler has moved the connection to another session. */
const POOLER_CODES = new Set(["26000", "42P05"]);

/**
 * Names statements by their text, so that each connection parses and plans a statement once and not at every call. Behind a
 * pooler that gives each transaction another server session, and does not itself know prepared statements, the names do
 * not hold: the first such error switches them off.
 */
export class PreparedStatements {
  readonly #log: Logger;
  readonly #names = new Map<string, string>();
  #isOn = true;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The statement's name; undefined if it is not prepared. */
  nameOf(text: string): string | undefined {
    if (!this.#isOn) return undefined;
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= MAX_STATEMENTS) return known;
    // From the text, so that two processes that share a server session mean the same by a name.
    const name = `tarsy_${createHash("sha1").update(text).digest("hex").slice(0, 20)}`;
    this.#names.set(text, name);
    return name;
  }

  /** True for an error that a prepared statement has behind a pooler. It has not run; later ones are not prepared. */
  isRefused(error: unknown): boolean {
    const isRefused =
      error instanceof Error &&
      "code" in error &&
      typeof error.code === "string" &&
      POOLER_CODES.has(error.code);
    if (isRefused && this.#isOn) {
      this.#isOn = false;
      this.#log.warn(
        { error: error.message },
        "statements are not prepared any more: a pooler in front of Postgres loses them",
      );
    }
    return isRefused;
  }
}
