import { setTimeout as wait } from "node:timers/promises";
import type { LiveProgress } from "#shared/contracts/live-progress.ts";
import type { StoredEvent } from "#shared/contracts/session-event.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { chunkFrame, progressFrame, type EventFrame, type WebSocketFrame } from "../outbox/frames.ts";

/** Receives a session's events and chunks from the feed's current position on. Called synchronously and in order. */
export interface FeedWatcher {
  event(framed: EventFrame, event: StoredEvent): void;
  /** Called after the chunk was added to `liveText`. */
  chunk(frame: WebSocketFrame, chunk: StreamChunk): void;
  /** The progress that a tool call has reached or an agent begins to do, which is not stored. */
  progress(frame: WebSocketFrame, progress: LiveProgress): void;
  /** Resolves once most of what was sent is read; immediately if an earlier call is still waiting for that. */
  drained(): Promise<void>;
  /** The feed has ended: nothing more is delivered. */
  failed(error: Error): void;
}

/** The watchers of one feed. Each message is put into its frame once for all of them. */
export class FeedWatchers {
  readonly #watchers = new Set<FeedWatcher>();
  readonly #slowReaderMs: number;

  /** `slowReaderMs`: how long one slow watcher can delay the others while a gap is filled, once until it has drained. */
  constructor(slowReaderMs: number) {
    this.#slowReaderMs = slowReaderMs;
  }

  /** Returns the function that detaches the watcher. */
  attach(watcher: FeedWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  event(framed: EventFrame, event: StoredEvent): void {
    for (const watcher of this.#watchers) watcher.event(framed, event);
  }

  chunk(chunk: StreamChunk): void {
    const frame = chunkFrame(chunk);
    for (const watcher of this.#watchers) watcher.chunk(frame, chunk);
  }

  progress(progress: LiveProgress): void {
    const frame = progressFrame(progress);
    for (const watcher of this.#watchers) watcher.progress(frame, progress);
  }

  /**
   * Resolves once all watchers have drained, at the latest after `slowReaderMs`. Postgres delivers faster than any client
   * reads: without this wait every client would look slow. Throws the signal's reason.
   */
  async drained(signal: AbortSignal): Promise<void> {
    const drained = Promise.all([...this.#watchers].map((watcher) => watcher.drained()));
    const settled = new AbortController();
    const timeout = wait(this.#slowReaderMs, undefined, { ref: false, signal: settled.signal });
    try {
      await untilAborted(Promise.race([drained, timeout.catch(() => undefined)]), signal);
    } finally {
      settled.abort();
    }
  }

  /** Detaches all watchers and returns them. */
  detachAll(): readonly FeedWatcher[] {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    return watchers;
  }
}
