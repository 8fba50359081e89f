import type { Bus } from "#shared/bus/open-bus.ts";
import { subscribe, type BusSubscription } from "#shared/bus/subscribe.ts";
import { busEventCodec, type BusEvent, type StoredEvent } from "#shared/contracts/session-event.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { eventFrame, type EventFrame } from "../outbox/frames.ts";
import type { DatabaseReads } from "./database-reads.ts";

interface AllSessionsContext {
  readonly bus: Bus;
  readonly reads: DatabaseReads;
  readonly log: Logger;
}

interface AllSessionsSubscription extends BusSubscription {
  /** Aborted when the last watcher is gone. */
  readonly closing: AbortController;
  /** Keyed by session: the numbers of events that are read from Postgres one after another, the next one first. */
  readonly waiting: Map<string, number[]>;
}

/** Sessions whose last `seq` is remembered, to drop events that a new owner of the session publishes again. */
const MAX_REMEMBERED = 10_000;
/** Events of all sessions that wait to be read. Above it they are dropped: this channel has no history to repair. */
const MAX_WAITING = 10_000;

/** The channel `sessions`: live status events of all sessions. Subscribed to the bus while it has a watcher. */
export class AllSessionsFeed {
  readonly #context: AllSessionsContext;
  readonly #watchers = new Set<(framed: EventFrame, event: StoredEvent) => void>();
  readonly #lastSeqs = new Map<string, number>();
  #subscription: AllSessionsSubscription | undefined;
  #waiting = 0;

  constructor(context: AllSessionsContext) {
    this.#context = context;
  }

  /** Calls `watch` with each event from now on. `live` resolves once NATS delivers; rejects while disconnected. */
  attach(watch: (framed: EventFrame, event: StoredEvent) => void): {
    readonly live: Promise<void>;
    readonly detach: () => void;
  } {
    this.#watchers.add(watch);
    this.#subscription ??= this.#subscribe();
    return {
      // Checked for each watcher: the connection may have been lost since the subscription was made.
      live: this.#subscription.live(),
      detach: () => {
        this.#watchers.delete(watch);
        if (this.#watchers.size > 0) return;
        this.#subscription?.closing.abort(
          new TerminalError("unsubscribed", "all sessions are no longer watched"),
        );
        this.#subscription?.unsubscribe();
        this.#subscription = undefined;
        this.#waiting = 0;
        this.#lastSeqs.clear();
      },
    };
  }

  #subscribe(): AllSessionsSubscription {
    const closing = new AbortController();
    const waiting = new Map<string, number[]>();
    const receive = (event: BusEvent) => this.#receive(event, { closing, waiting });
    return {
      ...subscribe(this.#context.bus, SUBJECTS.allFeeds, busEventCodec, receive),
      closing,
      waiting,
    };
  }

  #receive(event: BusEvent, subscription: Pick<AllSessionsSubscription, "closing" | "waiting">): void {
    if (event.seq <= (this.#lastSeqs.get(event.session_id) ?? 0)) return;
    this.#lastSeqs.delete(event.session_id);
    this.#lastSeqs.set(event.session_id, event.seq);
    if (this.#lastSeqs.size > MAX_REMEMBERED) {
      for (const oldest of this.#lastSeqs.keys()) {
        this.#lastSeqs.delete(oldest);
        break;
      }
    }
    const { session_id, seq, db_event_id, payload } = event;
    const earlier = subscription.waiting.get(session_id);
    if (payload !== undefined && earlier === undefined) {
      return this.#deliver({ session_id, seq, db_event_id, payload });
    }
    if (this.#waiting >= MAX_WAITING) {
      this.#context.log.error({ session_id, seq }, "status event not delivered: too many wait for Postgres");
      return;
    }
    this.#waiting += 1;
    // Only the number is kept, although the event may be here already: a number is small, and this is rare.
    if (earlier !== undefined) return void earlier.push(seq);
    const seqs = [seq];
    subscription.waiting.set(session_id, seqs);
    void this.#deliverStored(session_id, seqs, subscription);
  }

  /**
   * A status event with a very long error message is published without its payload. It is read from its row, and so are
   * the session's events that follow it in the meantime, so that none overtakes another. Never rejects.
   */
  async #deliverStored(
    sessionId: string,
    seqs: number[],
    { closing: { signal }, waiting }: Pick<AllSessionsSubscription, "closing" | "waiting">,
  ): Promise<void> {
    for (let seq = seqs[0]; seq !== undefined; seq = seqs[0]) {
      const range = { afterSeq: seq - 1, throughSeq: seq, limit: 1 };
      try {
        const events = await this.#context.reads.run({
          what: "status event",
          signal,
          always: true,
          read: async (manager) => readEvents(manager, sessionId, range),
        });
        signal.throwIfAborted();
        for (const event of events) this.#deliver(event);
      } catch (error) {
        if (signal.aborted) return;
        const reason = errorMessage(error);
        this.#context.log.error({ session_id: sessionId, seq, error: reason }, "status event not delivered");
      }
      seqs.shift();
      this.#waiting -= 1;
    }
    waiting.delete(sessionId);
  }

  #deliver(event: StoredEvent): void {
    const framed = eventFrame(event);
    for (const watch of this.#watchers) watch(framed, event);
  }
}
