import { errorMessage } from "#shared/errors.ts";
import { knownPayload, type StoredEvent, type SessionEvent } from "#shared/contracts/session-event.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { SocketMessage } from "#shared/contract-view/socket-message.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { AllSessionsFeed } from "../feed/all-sessions-feed.ts";
import { messageFrame, type WebSocketFrame } from "../outbox/frames.ts";
import type { SessionPlans } from "./session-plans.ts";
import type { PlanNumbering } from "./plan-numbering.ts";
import { translateProgress } from "./translate-progress.ts";

type Watch = (frame: WebSocketFrame, sessionId: string) => void;

interface TranslatedSessionsContext {
  readonly allSessions: AllSessionsFeed;
  readonly plans: SessionPlans;
  readonly log: Logger;
}

interface Attached {
  readonly live: Promise<void>;
  readonly detach: () => void;
}

/** Events that wait for the plans of their sessions; above it they are dropped, as this channel has no history. */
const MAX_WAITING = 10_000;

/** The channel `sessions` in the dialect, translated once for all clients. */
export class TranslatedSessions {
  readonly #context: TranslatedSessionsContext;
  readonly #watchers = new Set<Watch>();
  /** Keyed by session: the last of its events that wait. */
  readonly #waiting = new Map<string, Promise<void>>();
  #waitingEvents = 0;
  #source: Attached | undefined;
  #closing = new AbortController();

  constructor(context: TranslatedSessionsContext) {
    this.#context = context;
  }

  /** The same as `AllSessionsFeed.attach`. */
  attach(watch: Watch): Attached {
    this.#watchers.add(watch);
    const source = this.#context.allSessions.attach((_framed, event) => this.#receive(event));
    // One source is enough; it is attached again for each watcher because the connection may have been lost since.
    this.#source?.detach();
    this.#source = source;
    return {
      live: source.live,
      detach: () => {
        this.#watchers.delete(watch);
        if (this.#watchers.size > 0) return;
        this.#source?.detach();
        this.#source = undefined;
        this.#closing.abort();
        this.#closing = new AbortController();
      },
    };
  }

  #receive(event: StoredEvent): void {
    const { session_id } = event;
    const { plans, log } = this.#context;
    const before = this.#waiting.get(session_id);
    const plan = plans.remembered(session_id);
    if (before === undefined && (plan !== undefined || event.payload.type !== "session.progress")) {
      return this.#deliver(event, plan);
    }
    if (this.#waitingEvents >= MAX_WAITING) {
      log.error({ session_id, seq: event.seq }, "status event not delivered: too many wait for Postgres");
      return;
    }
    this.#waitingEvents += 1;
    const waited = this.#deliverOnceKnown(event, before).finally(() => {
      this.#waitingEvents -= 1;
      if (this.#waiting.get(session_id) === waited) this.#waiting.delete(session_id);
    });
    this.#waiting.set(session_id, waited);
  }

  /** Never rejects. */
  async #deliverOnceKnown(event: StoredEvent, before: Promise<void> | undefined): Promise<void> {
    const { session_id, seq } = event;
    const { signal } = this.#closing;
    try {
      await before;
      const plan = await this.#context.plans.find(session_id, signal);
      if (!signal.aborted) this.#deliver(event, plan);
    } catch (error) {
      if (signal.aborted) return;
      const reason = errorMessage(error);
      this.#context.log.error({ session_id, seq, error: reason }, "status event not delivered");
    }
  }

  #deliver(event: StoredEvent, plan: ReturnType<SessionPlans["remembered"]>): void {
    const payload = knownPayload(event.payload);
    const message = payload && translateForAll({ ...event, payload }, plan);
    if (message === undefined) return;
    const frame = messageFrame(message);
    for (const watch of this.#watchers) watch(frame, event.session_id);
  }
}

/**
 * A session's event as the message of the channel `sessions`; undefined if its clients do not get it. Only progress needs
 * the plan.
 */
function translateForAll(
  { payload, db_event_id }: SessionEvent,
  plan: PlanNumbering | undefined,
): SocketMessage | undefined {
  switch (payload.type) {
    case "session.status":
      return isTerminal(payload.status) ? undefined : { ...payload, type: "session.status", db_event_id };
    case "session.completed":
      return { ...payload, type: "session.status", db_event_id };
    case "session.progress":
      return plan && translateProgress(payload, plan);
    case "approval.requested":
    case "approval.decided":
    case "review.status":
      return { ...payload, db_event_id };
    default:
      return undefined;
  }
}
