import type { DataSource } from "typeorm";
import type { Bus } from "#shared/bus/open-bus.ts";
import { subscribe, type BusSubscription } from "#shared/bus/subscribe.ts";
import { busEventCodec, type BusEvent } from "#shared/contracts/session-event.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { eventFrame, type Frame } from "../outbox/frames.ts";

/** Sessions whose last `seq` is remembered, to drop events that a new owner of the session publishes again. */
const MAX_REMEMBERED = 10_000;

/** The channel `sessions`: live status events of all sessions. Subscribed to the bus while it has a watcher. */
export class AllSessionsFeed {
  readonly #context: { readonly bus: Bus; readonly db: DataSource; readonly log: Logger };
  readonly #watchers = new Set<(frame: Frame) => void>();
  readonly #lastSeqs = new Map<string, number>();
  #subscription: BusSubscription | undefined;

  constructor(context: { readonly bus: Bus; readonly db: DataSource; readonly log: Logger }) {
    this.#context = context;
  }

  /** Calls `watch` with each event from now on. `live` resolves once NATS delivers; rejects while disconnected. */
  attach(watch: (frame: Frame) => void): { readonly live: Promise<void>; readonly detach: () => void } {
    this.#watchers.add(watch);
    this.#subscription ??= this.#subscribe();
    return {
      // Checked for each watcher: the connection may have been lost since the subscription was made.
      live: this.#subscription.live(),
      detach: () => {
        this.#watchers.delete(watch);
        if (this.#watchers.size > 0) return;
        this.#subscription?.unsubscribe();
        this.#subscription = undefined;
        this.#lastSeqs.clear();
      },
    };
  }

  #subscribe(): BusSubscription {
    return subscribe(this.#context.bus, SUBJECTS.allFeeds, busEventCodec, (event) => this.#receive(event));
  }

  #receive(event: BusEvent): void {
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
    if (payload !== undefined) return this.#deliver(eventFrame({ session_id, seq, db_event_id, payload }));
    this.#deliverStored(event).catch((error: unknown) =>
      this.#context.log.error({ session_id, seq, error: errorMessage(error) }, "status event not delivered"),
    );
  }

  /** A status event with a very long error message is published without its payload. */
  async #deliverStored({ session_id, seq }: BusEvent): Promise<void> {
    const range = { afterSeq: seq - 1, throughSeq: seq, limit: 1 };
    for (const event of await readEvents(this.#context.db.manager, session_id, range)) {
      this.#deliver(eventFrame(event));
    }
  }

  #deliver(frame: Frame): void {
    for (const watch of this.#watchers) watch(frame);
  }
}
