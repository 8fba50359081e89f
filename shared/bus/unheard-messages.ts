import { createInbox } from "nats";
import type { Bus } from "#shared/bus/open-bus.ts";
import { lastToken } from "#shared/contracts/subjects.ts";

/** The server's status for a message that no one subscribes to. */
const NO_RESPONDERS = 503;
/** A subscriber answers nothing, so most entries are only displaced. The server's status takes one round trip. */
const MAX_AWAITED = 1_024;

/**
 * Learns from the server which messages no one subscribes to, with one subscription for all of them. The client's request
 * has a timer, promises and up to three errors with stacks for each.
 */
export class UnheardMessages {
  readonly #inbox: string;
  /** Keyed by the last token of the reply subject. */
  readonly #awaited = new Map<string, () => void>();
  #published = 0;

  constructor(bus: Pick<Bus, "inboxPrefix" | "subscribe" | "log">) {
    this.#inbox = createInbox(bus.inboxPrefix);
    bus.subscribe(`${this.#inbox}.*`, {
      callback: (error, { subject, headers }) => {
        if (error !== null) bus.log.error({ error: error.message }, "unheard messages are not noticed");
        else if (headers?.code === NO_RESPONDERS) this.#take(lastToken(subject))?.();
      },
    });
  }

  /** The reply subject of one message; `unheard` is called once the server says that no one subscribes to it. */
  replySubject(unheard: () => void): string {
    const token = this.#published++;
    this.#awaited.set(String(token), unheard);
    this.#awaited.delete(String(token - MAX_AWAITED));
    return `${this.#inbox}.${token}`;
  }

  #take(token: string): (() => void) | undefined {
    const unheard = this.#awaited.get(token);
    this.#awaited.delete(token);
    return unheard;
  }
}
