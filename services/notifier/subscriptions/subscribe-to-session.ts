import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { FeedWatcher } from "../feed/feed-watchers.ts";
import type { SessionFeed } from "../feed/session-feed.ts";
import type { SessionFeeds } from "../feed/session-feeds.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";
import { chunkFrame, type EventFrame, type WebSocketFrame } from "../outbox/frames.ts";
import { SlowClient } from "../outbox/slow-client.ts";
import { resolveCursor, sendHistory, type Cursor } from "./session-history.ts";

const MAX_FRAME_CODE_UNITS = 32 * 1024;

export interface SessionSubscriptionContext {
  readonly feeds: SessionFeeds;
  readonly metrics: NotifierMetrics;
}

interface SessionSubscriptionRequest {
  readonly sessionId: string;
  readonly cursor: Cursor | undefined;
  readonly outbox: ClientOutbox;
  /** Called once, before the first event, with the `seq` after which events follow. */
  readonly confirmed: (afterSeq: number) => void;
  /** Called if the subscription fails after it was live. */
  readonly failed: (error: Error) => void;
  /** Ends the subscription at any point. */
  readonly signal: AbortSignal;
}

/**
 * Subscribes one client to one session: the history from its cursor and then live events, as one sequence in order,
 * or live events only without a cursor. Resolves once live. Throws TerminalError for an unknown session or a cursor
 * beyond its end, RetryableError when NATS or Postgres is unavailable for too long, and the signal's reason.
 */
export async function subscribeToSession(
  context: SessionSubscriptionContext,
  request: SessionSubscriptionRequest,
): Promise<void> {
  const { metrics } = context;
  const { sessionId, cursor, outbox, signal } = request;
  signal.throwIfAborted();
  const { feed, joined, release } = context.feeds.acquire(sessionId);
  signal.addEventListener("abort", release, { once: true });
  await untilAborted(feed.started, signal);
  if (joined) await feed.checkExists(signal);
  const afterSeq = cursor === undefined ? feed.lastSeq : await resolveCursor(feed, cursor, signal);
  request.confirmed(afterSeq);
  const subscription = new SessionSubscription({ feed, outbox, metrics, failed: request.failed }, afterSeq);
  const { events } = feed;
  const deliver = (event: EventFrame) => subscription.event(event);
  while (subscription.position < feed.lastSeq) {
    await sendHistory({ events, outbox, afterSeq: subscription.position, deliver, signal });
  }
  // Nothing is awaited between the last comparison and this line, so no event can be delivered in between.
  subscription.attach();
  signal.addEventListener("abort", () => subscription.detach(), { once: true });
}

interface SessionSubscriptionOptions {
  readonly feed: SessionFeed;
  readonly outbox: ClientOutbox;
  readonly metrics: NotifierMetrics;
  readonly failed: (error: Error) => void;
}

/**
 * One client's position in one session. Live chunks are passed on unchanged unless the client lags behind an event's
 * text, because it joined in mid-stream or reads slowly. It then gets the missing text from the feed's buffer, in
 * larger chunks and as fast as it reads, until it has caught up.
 */
class SessionSubscription implements FeedWatcher {
  readonly #options: SessionSubscriptionOptions;
  /** Per event the client lags behind: the text it has. */
  readonly #lagging = new Map<string, { readonly attempt: number; readonly offset: number }>();
  #position: number;
  #detach: (() => void) | undefined;
  #resumesOnDrain = false;
  readonly #slowClient: SlowClient;

  /** `afterSeq`: the client has, or does not want, the events up to this number. */
  constructor(options: SessionSubscriptionOptions, afterSeq: number) {
    this.#options = options;
    this.#slowClient = new SlowClient(options.outbox);
    this.#position = afterSeq;
  }

  get position(): number {
    return this.#position;
  }

  /**
   * Goes live. The feed must not be ahead of `position`. It may be behind, when the client has events from another
   * notifier that this one is yet to receive: until then, the feed's open texts are not those of the client's position.
   */
  attach(): void {
    const { feed } = this.#options;
    this.#detach = feed.attach(this);
    if (feed.lastSeq === this.#position) this.#sendOpenTexts();
  }

  detach(): void {
    this.#detach?.();
    this.#detach = undefined;
    this.#lagging.clear();
  }

  event({ frame, seq, completes }: EventFrame): void {
    if (seq === this.#position) this.#sendOpenTexts();
    if (seq <= this.#position) return;
    this.#position = seq;
    if (completes !== undefined) this.#lagging.delete(completes);
    this.#options.outbox.event(frame);
  }

  chunk(frame: WebSocketFrame, chunk: StreamChunk): void {
    const { feed, outbox, metrics } = this.#options;
    if (feed.lastSeq < this.#position) return;
    if (!this.#lagging.has(chunk.event_id)) {
      if (outbox.hasRoomForChunks) return outbox.chunk(frame);
      this.#lagging.set(chunk.event_id, { attempt: chunk.attempt, offset: chunk.offset });
    }
    metrics.chunksHeldBack.inc();
    this.#sendMissingText();
  }

  progress(frame: WebSocketFrame): void {
    const { feed, outbox } = this.#options;
    if (feed.lastSeq >= this.#position) outbox.progress(frame);
  }

  async drained(): Promise<void> {
    return this.#slowClient.drained();
  }

  failed(error: Error): void {
    this.#options.failed(error);
  }

  #sendOpenTexts(): void {
    for (const eventId of this.#options.feed.liveText.openEventIds()) {
      this.#lagging.set(eventId, { attempt: 0, offset: 0 });
    }
    this.#sendMissingText();
  }

  #sendMissingText(): void {
    for (const eventId of this.#lagging.keys()) {
      if (!this.#sendMissingTextOf(eventId)) return this.#resumeOnDrain();
    }
  }

  /** False if there was no room for all of it. */
  #sendMissingTextOf(eventId: string): boolean {
    const { feed, outbox } = this.#options;
    const sent = this.#lagging.get(eventId);
    const { attempt, text } = feed.liveText.get(eventId) ?? { attempt: 0, text: "" };
    let offset = sent?.attempt === attempt ? sent.offset : 0;
    while (offset < text.length) {
      if (!outbox.hasRoomForChunks) {
        this.#lagging.set(eventId, { attempt, offset });
        return false;
      }
      const rest = text.slice(offset, offset + MAX_FRAME_CODE_UNITS);
      const end = offset + rest.length;
      const delta = end === text.length ? rest : rest.slice(0, safeCut(rest, MAX_FRAME_CODE_UNITS));
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

  #resumeOnDrain(): void {
    if (this.#resumesOnDrain) return;
    this.#resumesOnDrain = true;
    this.#options.outbox.onDrain(() => {
      this.#resumesOnDrain = false;
      this.#sendMissingText();
    });
  }
}
