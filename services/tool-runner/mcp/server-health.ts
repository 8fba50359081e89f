import { errorMessage } from "#shared/errors.ts";
import { McpFailure, type McpFailureKind } from "./mcp-failure.ts";

/** Ends of a contact for which the server is not to blame. */
const SAYS_NOTHING: ReadonlySet<McpFailureKind> = new Set(["aborted", "busy", "too_large", "input_required"]);

/** The state of a server by the last contacts with it, calls and listings. */
export class ServerHealth {
  #checkedAt: Date | undefined;
  #failure: { readonly code: string; readonly message: string; readonly at: Date } | undefined;
  #isWell = false;

  /** When a contact last said anything of the server; undefined before the first. */
  get checkedAt(): Date | undefined {
    return this.#checkedAt;
  }

  /** True if the last contact succeeded. */
  get isWell(): boolean {
    return this.#isWell;
  }

  /** The last failure, also if the server is well again. Its message is not masked. */
  get failure(): { readonly code: string; readonly message: string; readonly at: Date } | undefined {
    return this.#failure;
  }

  answered(): void {
    this.#checkedAt = new Date();
    this.#isWell = true;
  }

  /** An error that the server itself gave is an answer; a listing or call that a caller ended says nothing. */
  failed(error: unknown): void {
    const kind = error instanceof McpFailure ? error.kind : undefined;
    if (error instanceof McpFailure && error.sent === "answered") return this.answered();
    if (kind !== undefined && SAYS_NOTHING.has(kind)) return;
    this.#checkedAt = new Date();
    this.#isWell = false;
    // An open circuit says less than what opened it.
    if (kind === "circuit_open" && this.#failure !== undefined) return;
    this.#failure = { code: kind ?? "invalid_answer", message: errorMessage(error), at: this.#checkedAt };
  }
}
