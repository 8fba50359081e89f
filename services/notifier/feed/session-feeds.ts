import { SessionFeed, type FeedContext } from "./session-feed.ts";

/** A claim on a session's feed; the feed closes with its last lease. */
export interface FeedLease {
  readonly feed: SessionFeed;
  release(): void;
}

/** The feeds of all sessions that somebody on this process watches: one each, however many watchers. */
export class SessionFeeds {
  readonly #context: FeedContext;
  readonly #feeds = new Map<string, { feed: SessionFeed; leases: number }>();

  constructor(context: FeedContext) {
    this.#context = context;
  }

  /** The session's feed, opened if this is its first watcher. Await its `started`, and release in any case. */
  acquire(sessionId: string): FeedLease {
    let entry = this.#feeds.get(sessionId);
    if (entry === undefined) {
      entry = this.#open(sessionId);
      this.#context.metrics.feeds.inc();
    }
    const held = entry;
    held.leases += 1;
    let released = false;
    return {
      feed: held.feed,
      release: () => {
        if (released) return;
        released = true;
        held.leases -= 1;
        if (held.leases > 0) return;
        held.feed.close();
        this.#forget(held.feed);
      },
    };
  }

  all(): SessionFeed[] {
    return [...this.#feeds.values()].map(({ feed }) => feed);
  }

  #open(sessionId: string): { feed: SessionFeed; leases: number } {
    // A feed that failed must not be handed to whoever subscribes next.
    const feed: SessionFeed = new SessionFeed(this.#context, sessionId, () => this.#forget(feed));
    feed.started.catch(() => this.#forget(feed));
    const entry = { feed, leases: 0 };
    this.#feeds.set(sessionId, entry);
    return entry;
  }

  #forget(feed: SessionFeed): void {
    if (this.#feeds.get(feed.sessionId)?.feed !== feed) return;
    this.#feeds.delete(feed.sessionId);
    this.#context.metrics.feeds.dec();
  }
}
