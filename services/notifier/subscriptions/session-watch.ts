import type { SessionEvent } from "#shared/contracts/session-event.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { safeCut } from "#shared/surrogate-guard.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import type { FeedWatcher, SessionFeed } from "../feed/session-feed.ts";
import { chunkFrame, type Frame } from "../outbox/frames.ts";

const MAX_DELTA_UTF16_UNITS = 32 * 1024;

interface WatchOptions {
  readonly feed: SessionFeed;
  readonly outbox: ClientOutbox;
  readonly metrics: NotifierMetrics;
  readonly failed: (error: Error) => void;
}

/**
 * One client's place in one session. Live chunks are passed on as they are, unless the client lags behind an event's
 * text (it joined in mid-stream, or reads slowly): then it gets the missing text from the feed's mirror, in larger
 * pieces and as fast as it reads, until it has caught up.
 */
export class SessionWatch implements FeedWatcher {
  readonly #options: WatchOptions;
  /** By event, up to where the client has the text. */
  readonly #lagging = new Map<string, { readonly attempt: number; readonly offset: number }>();
  #position: number;
  #detach: (() => void) | undefined;
  #waitsForRoom = false;
  #behind = false;

  /** The client has, or does not want, the events up to `afterSeq`. */
  constructor(options: WatchOptions, afterSeq: number) {
    this.#options = options;
    this.#position = afterSeq;
  }

  get position(): number {
    return this.#position;
  }

  /** Goes live. The feed must not be ahead of this watch's position. */
  attach(): void {
    const { feed } = this.#options;
    this.#detach = feed.attach(this);
    for (const eventId of feed.openStreams()) this.#lagging.set(eventId, { attempt: 0, offset: 0 });
    this.#sendMissingText();
  }

  detach(): void {
    this.#detach?.();
    this.#detach = undefined;
    this.#lagging.clear();
  }

  event(frame: Frame, { seq, payload }: SessionEvent): void {
    if (seq <= this.#position) return;
    this.#position = seq;
    if (payload.type === "timeline_event.completed") this.#lagging.delete(payload.event_id);
    this.#options.outbox.event(frame);
  }

  chunk(frame: Frame, chunk: StreamChunk): void {
    const { outbox, metrics } = this.#options;
    if (!this.#lagging.has(chunk.event_id)) {
      if (outbox.hasRoomForChunks) return outbox.chunk(frame);
      this.#lagging.set(chunk.event_id, { attempt: chunk.attempt, offset: chunk.offset });
    }
    metrics.chunksHeldBack.inc();
    this.#sendMissingText();
  }

  async room(): Promise<void> {
    const { outbox } = this.#options;
    // Whoever is behind was waited for already.
    if (outbox.hasRoomForChunks || this.#behind) return;
    this.#behind = true;
    await new Promise<void>((resolve) => outbox.whenRoom(resolve));
    this.#behind = false;
  }

  failed(error: Error): void {
    this.#options.failed(error);
  }

  #sendMissingText(): void {
    for (const eventId of this.#lagging.keys()) {
      if (!this.#sendTextOf(eventId)) return this.#resumeWithRoom();
    }
  }

  /** False when there was no room for all of it. */
  #sendTextOf(eventId: string): boolean {
    const { feed, outbox } = this.#options;
    const stream = feed.stream(eventId);
    const sent = this.#lagging.get(eventId);
    const { attempt, text } = stream ?? { attempt: 0, text: "" };
    let offset = sent?.attempt === attempt ? sent.offset : 0;
    while (offset < text.length) {
      if (!outbox.hasRoomForChunks) {
        this.#lagging.set(eventId, { attempt, offset });
        return false;
      }
      const rest = text.slice(offset, offset + MAX_DELTA_UTF16_UNITS);
      const end = offset + rest.length;
      const delta = end === text.length ? rest : rest.slice(0, safeCut(rest, MAX_DELTA_UTF16_UNITS));
      outbox.chunk(
        chunkFrame({
          type: "stream.chunk",
          session_id: feed.sessionId,
          event_id: eventId,
          attempt,
          offset,
          delta,
          timestamp: new Date().toISOString(),
        }),
      );
      offset += delta.length;
    }
    this.#lagging.delete(eventId);
    return true;
  }

  #resumeWithRoom(): void {
    if (this.#waitsForRoom) return;
    this.#waitsForRoom = true;
    this.#options.outbox.whenRoom(() => {
      this.#waitsForRoom = false;
      this.#sendMissingText();
    });
  }
}
