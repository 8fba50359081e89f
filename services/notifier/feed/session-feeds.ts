import { SessionFeed, type FeedContext } from "./session-feed.ts";

/** One reference to a session's feed. The feed closes when its last handle is released. */
interface FeedHandle {
  readonly feed: SessionFeed;
  /** Opened before: the session may have been deleted since. */
  readonly joined: boolean;
  readonly release: () => void;
}

interface CountedFeed {
  readonly feed: SessionFeed;
  handles: number;
}

/** The feeds of all sessions watched through this process: one per session, shared by all watchers. */
export class SessionFeeds {
  readonly #context: FeedContext;
  readonly #feeds = new Map<string, CountedFeed>();

  constructor(context: FeedContext) {
    this.#context = context;
  }

  /** Returns the session's feed and opens it for the first watcher. Await `started`; release in every case. */
  acquire(sessionId: string): FeedHandle {
    const open = this.#feeds.get(sessionId);
    const counted = open ?? this.#open(sessionId);
    counted.handles += 1;
    let released = false;
    return {
      feed: counted.feed,
      joined: open !== undefined,
      release: () => {
        if (released) return;
        released = true;
        counted.handles -= 1;
        if (counted.handles > 0) return;
        counted.feed.close();
        this.#remove(counted.feed);
      },
    };
  }

  /** The same, if the session has a feed already. */
  join(sessionId: string): FeedHandle | undefined {
    return this.#feeds.has(sessionId) ? this.acquire(sessionId) : undefined;
  }

  all(): SessionFeed[] {
    return [...this.#feeds.values()].map(({ feed }) => feed);
  }

  #open(sessionId: string): CountedFeed {
    // A failed feed is removed, so that the next subscription opens a new one.
    const feed: SessionFeed = new SessionFeed(this.#context, sessionId, () => this.#remove(feed));
    feed.started.catch(() => this.#remove(feed));
    const counted = { feed, handles: 0 };
    this.#feeds.set(sessionId, counted);
    this.#context.metrics.feeds.inc();
    return counted;
  }

  #remove(feed: SessionFeed): void {
    if (this.#feeds.get(feed.sessionId)?.feed !== feed) return;
    this.#feeds.delete(feed.sessionId);
    this.#context.metrics.feeds.dec();
  }
}
