import { randomUUID } from "node:crypto";
import {
  RequestError,
  methods,
  type AgentContext,
  type SessionUpdate,
  type StopReason,
} from "@agentclientprotocol/sdk";
import type { ApiClient } from "#shared/client/api-client.ts";
import { ApiFailure } from "#shared/client/api-failure.ts";
import { followSession, type NotifierMessage } from "#shared/client/follow-session.ts";
import { retryDelay, waitFor } from "#shared/client/retry-delay.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { AguiEvent } from "../../../services/api/agui/agui-event.ts";
import type { CommandCall } from "../command.ts";
import { notifierOf } from "../connection.ts";
import { AcpUpdates } from "./acp-updates.ts";
import { PermissionQuestions } from "./permission-questions.ts";
import { SessionRuns, type RunEnd } from "./session-runs.ts";

interface ConversationOptions {
  readonly call: CommandCall;
  readonly api: ApiClient;
  /** The id of the editor's session. */
  readonly acpId: string;
  readonly client: AgentContext;
  /** Remembers the session of the editor's one. */
  readonly keep: (sessionId: string) => Promise<void>;
}

/** The tries of a request while the api is away, about half a minute. */
const MAX_TRIES = 10;

/** A session of an editor: one investigation, and the questions about it. */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #updates = new AcpUpdates();
  #sessionId: string | undefined;
  #runs: SessionRuns | undefined;
  #lastSeq = 0;
  /** What users said is sent, too: the editor does not have it. */
  #isReplay = false;
  #submitting: Promise<void> | undefined;
  /** The following of the session until the current run ends. */
  #running: Promise<RunEnd> | undefined;
  /** What is sent to the editor, one after another. */
  #sent: Promise<void> = Promise.resolve();
  readonly #questions: PermissionQuestions;

  constructor(options: ConversationOptions, sessionId?: string) {
    this.#options = options;
    this.#sessionId = sessionId;
    const { api, client, acpId, call } = options;
    this.#questions = new PermissionQuestions({ api, client, acpId, warn: call.terminal.warn });
  }

  /** Takes what the user says: an alert, a note to a running investigation, or a question about one that has ended. */
  async prompt(text: string): Promise<StopReason> {
    if (this.#sessionId === undefined) await (this.#submitting = this.#submit(text));
    else if (this.#running === undefined) await this.#ask(this.#sessionId, text);
    else await this.#note(this.#sessionId, text);
    this.#running ??= this.#follow();
    const end = await this.#running;
    await this.#sent;
    if (end.type === "RUN_ERROR") throw RequestError.internalError({ code: end.code }, end.message);
    return end.outcome?.type === "cancelled" ? "cancelled" : "end_turn";
  }

  /** Cancels the investigation, or the answer that is written. */
  async cancel(): Promise<void> {
    await this.#submitting?.catch(() => undefined);
    const id = this.#sessionId;
    if (id === undefined) return;
    await this.#again(() =>
      this.#options.api.call("POST /api/v1/sessions/:id/cancel", { params: { id }, accepts: [409] }),
    );
  }

  /** Tells the editor everything that has happened, and what happens until the investigation ends. */
  async load(): Promise<void> {
    const id = this.#sessionId ?? "";
    const session = await this.#again(() =>
      this.#options.api.call("GET /api/v1/sessions/:id/overview", { params: { id } }),
    );
    this.#said(session.alert_data);
    const { last_seq: last = 0 } = session;
    this.#isReplay = true;
    await this.#followUntil(() => this.#lastSeq >= last);
    this.#isReplay = false;
    await this.#sent;
    if (isTerminal(session.status)) return;
    this.#running = this.#follow();
    // The next prompt that waits for it learns why it failed.
    this.#running.catch(() => undefined);
  }

  async #submit(data: string): Promise<void> {
    const { api, acpId, keep, call } = this.#options;
    const type = call.option("type");
    const { session_id, message } = await this.#again(() =>
      api.call("POST /api/v1/alerts", {
        body: { data, ...(type === undefined ? {} : { alert_type: type }) },
        headers: { "idempotency-key": `acp-${acpId}` },
        signal: call.signal,
      }),
    );
    if (session_id === undefined) throw RequestError.invalidRequest(undefined, message);
    this.#sessionId = session_id;
    await keep(session_id);
  }

  async #ask(id: string, content: string): Promise<void> {
    const { api } = this.#options;
    let tries = 0;
    await this.#again(() => {
      tries += 1;
      return api.call("POST /api/v1/sessions/:id/chat/messages", {
        params: { id },
        body: { content },
        // The answer to the first try was lost.
        accepts: tries > 1 ? [409] : [],
      });
    });
  }

  async #note(id: string, content: string): Promise<void> {
    const headers = { "idempotency-key": randomUUID() };
    await this.#again(() =>
      this.#options.api.call("POST /api/v1/sessions/:id/messages", {
        params: { id },
        body: { mode: "note", content },
        headers,
      }),
    );
  }

  /** Follows the session until the current run has ended. */
  async #follow(): Promise<RunEnd> {
    try {
      let end: RunEnd | undefined;
      await this.#followUntil((ended) => (end = ended) !== undefined);
      if (end === undefined) throw new Error("the investigation cannot be followed");
      return end;
    } finally {
      this.#running = undefined;
    }
  }

  /** Follows the session; `isOver` is asked after each message, with the end that it brought. */
  async #followUntil(isOver: (end: RunEnd | undefined) => boolean): Promise<void> {
    const { call } = this.#options;
    const sessionId = this.#sessionId ?? "";
    const notifier = notifierOf(call);
    const over = new AbortController();
    this.#runs ??= new SessionRuns(sessionId);
    if (isOver(undefined)) return;
    await followSession({
      url: notifier.url,
      open: notifier.open,
      sessionId,
      followsAll: true,
      afterSeq: this.#lastSeq,
      signal: AbortSignal.any([call.signal, over.signal]),
      onMessage: (message) => {
        if (isOver(this.#take(message))) over.abort();
      },
      onDisconnect: (why) => call.terminal.warn(`${why}: reconnecting\n`),
    }).catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    });
  }

  #take(message: NotifierMessage): RunEnd | undefined {
    const { type, seq } = message;
    if (typeof seq === "number") this.#lastSeq = seq;
    let end: RunEnd | undefined;
    for (const event of this.#runs?.take(message) ?? []) {
      for (const update of this.#updates.take(event)) this.#send(update);
      if (isEnd(event)) end = event;
    }
    const isSaid = type === "timeline_event.created" && message["event_type"] === "user_question";
    if (isSaid && this.#isReplay) this.#said(String(message["content"]));
    this.#questions.receive(this.#sessionId ?? "", message);
    return end;
  }

  #said(text: string): void {
    this.#send({ sessionUpdate: "user_message_chunk", content: { type: "text", text } });
  }

  #send(update: SessionUpdate): void {
    const { client, acpId: sessionId, call } = this.#options;
    this.#sent = this.#sent.then(async () =>
      client
        .notify(methods.client.session.update, { sessionId, update })
        .catch((error: unknown) => call.terminal.warn(`not sent to the editor: ${String(error)}\n`)),
    );
  }

  /** Repeats a request while the api is away. */
  async #again<T>(ask: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ask();
      } catch (error) {
        const isAway = error instanceof ApiFailure && (error.status === undefined || error.status === 503);
        if (!isAway || tries >= MAX_TRIES) throw error;
        await waitFor(retryDelay(tries), this.#options.call.signal);
      }
    }
  }
}

function isEnd(event: AguiEvent): event is RunEnd {
  return event.type === "RUN_ERROR" || event.type === "RUN_FINISHED";
}
