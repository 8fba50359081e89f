import { EVENTS_PURGED } from "#shared/database/events-purged.ts";
import { TerminalError } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { SessionFeed } from "../feed/session-feed.ts";
import type { SessionFeeds } from "../feed/session-feeds.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";
import { sendHistory } from "../subscriptions/session-history.ts";
import { DialectSubscription } from "./dialect-subscription.ts";
import type { SessionViews } from "./session-views.ts";

export interface DialectContext {
  readonly feeds: SessionFeeds;
  readonly views: SessionViews;
  readonly metrics: NotifierMetrics;
}

interface FollowRequest {
  readonly sessionId: string;
  readonly outbox: ClientOutbox;
  /** Called once, before the first event. */
  readonly confirmed: () => void;
  /** Tells the client that it must read over REST what it missed. */
  readonly overflowed: () => void;
  /** Called if the subscription fails after it was live. */
  readonly failed: (error: Error) => void;
  /** Ends the subscription at any point. */
  readonly signal: AbortSignal;
}

/** The time after its end in which a session's events are sent to a client that subscribes to it. */
const REPLAYED_AFTER_END_MS = 60_000;

/**
 * One client that follows one session in the dialect: the stored events from the first one while the session runs and a
 * minute longer, else none, and then live events, as one sequence. A catchup that follows the subscription, as after a
 * lost connection, says where the sequence begins instead.
 */
export class SessionFollower {
  readonly #context: DialectContext;
  readonly #request: FollowRequest;
  readonly #timeToCatchUp = new TimeToCatchUp();
  #feed: SessionFeed | undefined;
  #subscription: DialectSubscription | undefined;
  #isLive = false;
  /** The last cursor that the client sent, and the search for its place. */
  #cursor: number | undefined;
  #placing: Promise<void> = Promise.resolve();

  constructor(context: DialectContext, request: FollowRequest) {
    this.#context = context;
    this.#request = request;
  }

  /**
   * Resolves once live. Throws TerminalError for an unknown session, RetryableError when NATS or Postgres is unavailable for too
   * long, and the signal's reason.
   */
  async follow(): Promise<void> {
    const { feeds, views, metrics } = this.#context;
    const { sessionId, outbox, failed, signal } = this.#request;
    signal.throwIfAborted();
    const { feed, joined, release } = feeds.acquire(sessionId);
    signal.addEventListener("abort", release, { once: true });
    await untilAborted(feed.started, signal);
    if (joined) await feed.checkExists(signal);
    const view = await views.of(feed, signal);
    this.#request.confirmed();
    await this.#timeToCatchUp.over(signal);
    const subscription = new DialectSubscription({ feed, view, outbox, metrics, failed });
    this.#subscription = subscription;
    this.#feed = feed;
    const { endedMsAgo } = view.facts;
    if (this.#cursor !== undefined) this.#place(this.#cursor);
    else if ((endedMsAgo ?? 0) >= REPLAYED_AFTER_END_MS) subscription.skipTo(feed.lastSeq, 0);
    await this.#placing;
    await this.#replay(feed, subscription);
    // Nothing is awaited between the last comparison and this line, so no event can be delivered in between.
    subscription.attach();
    this.#isLive = true;
    signal.addEventListener("abort", () => subscription.detach(), { once: true });
  }

  /**
   * The client has the events up to this cursor. False if the subscription is live already: then it has sent what follows the
   * cursor, and the client asks for it again.
   */
  catchUp(lastEventId: number): boolean {
    if (this.#isLive) return false;
    this.#cursor = Math.max(this.#cursor ?? 0, lastEventId);
    this.#timeToCatchUp.end();
    if (this.#subscription !== undefined) this.#place(this.#cursor);
    return true;
  }

  async #replay(feed: SessionFeed, subscription: DialectSubscription): Promise<void> {
    const { outbox, signal } = this.#request;
    const { events } = feed;
    while (subscription.position < feed.lastSeq) {
      const afterSeq = subscription.position;
      try {
        await sendHistory({
          events,
          outbox,
          afterSeq,
          deliver: (event) => subscription.event(event),
          signal,
        });
      } catch (error) {
        if (!(error instanceof TerminalError) || error.code !== EVENTS_PURGED) throw error;
        this.#request.overflowed();
        subscription.skipTo(feed.lastSeq, 0);
      }
      await this.#placing;
    }
  }

  /** A catchup that comes late, while events are being sent, still spares the client the rest of what it has. */
  #place(cursor: number): void {
    this.#placing = this.#skipTo(cursor, this.#placing);
    // Awaited before the subscription goes on; it may end before that.
    this.#placing.catch(() => undefined);
  }

  async #skipTo(cursor: number, before: Promise<void>): Promise<void> {
    await before;
    const seq = await this.#feed?.seqAt(cursor, this.#request.signal);
    if (seq !== undefined) this.#subscription?.skipTo(seq, cursor);
  }
}

/**
 * The time for which a subscription waits for a catchup before it sends events from the first one: longer than one lost packet between
 * the two messages delays the second.
 */
const WAIT_MS = 250;

/**
 * The time after a subscription in which its client may say what it has: a client that connects again sends a catchup right
 * behind the subscription, and would get twice what had been sent by then.
 */
class TimeToCatchUp {
  readonly #ended = Promise.withResolvers<void>();
  readonly #timer = setTimeout(() => this.#ended.resolve(), WAIT_MS);

  /** Ends the time at once. */
  end(): void {
    clearTimeout(this.#timer);
    this.#ended.resolve();
  }

  /** Resolves when the time is over. Throws the signal's reason. */
  async over(signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(this.#ended.promise, signal);
    } finally {
      clearTimeout(this.#timer);
    }
  }
}
