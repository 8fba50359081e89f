import type { ApiClient } from "#shared/client/api-client.ts";
import type { NotifierMessage } from "#shared/client/follow-session.ts";
import { printable, type TerminalStyle } from "./terminal-style.ts";

/** Asks the person at the terminal; rejects once the signal aborts. */
export type AskPerson = (question: string, signal: AbortSignal) => Promise<string>;

interface ApprovalQuestionsOptions {
  readonly api: ApiClient;
  readonly sessionId: string;
  readonly write: (text: string) => void;
  readonly style: TerminalStyle;
  /** Absent without an interactive terminal: then it is printed how to decide. */
  readonly ask?: AskPerson;
}

/** Shows the questions about a session's tool calls, one after another, and sends what the person decides. */
export class ApprovalQuestions {
  readonly #options: ApprovalQuestionsOptions;
  /** The questions that are open, each with what ends its prompt. */
  readonly #open = new Map<string, AbortController>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: ApprovalQuestionsOptions) {
    this.#options = options;
  }

  /** Takes a message of the session; others than those about approvals are ignored. */
  receive(message: NotifierMessage): void {
    const id = String(message["approval_id"]);
    if (message["type"] === "approval.requested") {
      const closed = new AbortController();
      this.#open.set(id, closed);
      this.#last = this.#last.then(async () => this.#show(id, message, closed.signal));
    }
    if (message["type"] === "approval.decided") {
      this.#open.get(id)?.abort();
      this.#open.delete(id);
      const { style, write } = this.#options;
      const by = typeof message["decided_by"] === "string" ? ` by ${message["decided_by"]}` : "";
      write(style.dim(`\n[${printable(`${String(message["tool"])}: ${String(message["state"])}${by}`)}]\n`));
    }
  }

  /** Ends what is still being asked. */
  async finish(): Promise<void> {
    for (const closed of this.#open.values()) closed.abort();
    await this.#last;
  }

  async #show(id: string, message: NotifierMessage, closed: AbortSignal): Promise<void> {
    // There may be a decision already, made elsewhere while another question was asked.
    if (closed.aborted) return;
    const { style, write, ask } = this.#options;
    const isComplete = message["arguments_complete"] === true;
    const asks = `${String(message["agent_name"])} asks to call ${String(message["tool"])}`;
    write(style.bold(`\n? ${printable(asks)}\n`));
    write(`${printable(String(message["arguments"]))}\n`);
    if (ask === undefined || !isComplete) {
      if (!isComplete) write("These are not all of its arguments: read the others before you decide.\n");
      this.#printHow(id, isComplete);
      return;
    }
    try {
      await this.#decide(id, ask, closed);
    } catch (error) {
      if (closed.aborted) return;
      write(style.red(`${printable(error instanceof Error ? error.message : String(error))}\n`));
      this.#printHow(id, isComplete);
    }
  }

  async #decide(id: string, ask: AskPerson, closed: AbortSignal): Promise<void> {
    let answer = "";
    while (!/^(?:y|yes|n|no)$/iu.test(answer)) {
      answer = (await ask("Allow this call? [y/n] ", closed)).trim();
    }
    const reason = (await ask("Reason, for the agent (optional): ", closed)).trim();
    const decision = /^y/iu.test(answer) ? "approve" : "deny";
    const { api, sessionId } = this.#options;
    await api.call("POST /api/v1/sessions/:id/approvals/:approval", {
      params: { id: sessionId, approval: id },
      body: { decision, ...(reason === "" ? {} : { reason }) },
    });
  }

  #printHow(id: string, isComplete: boolean): void {
    const { sessionId, write } = this.#options;
    if (!isComplete) write(`  see it:  npm run tarsy -- approve ${sessionId}\n`);
    write(`  decide:  npm run tarsy -- approve ${sessionId} ${id}\n  or with --deny --reason '…'\n`);
  }
}
