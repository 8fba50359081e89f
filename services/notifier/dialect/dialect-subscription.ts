import type { LiveProgress } from "#shared/contracts/live-progress.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { FeedWatcher } from "../feed/feed-watchers.ts";
import type { SessionFeed } from "../feed/session-feed.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";
import type { EventFrame, WebSocketFrame } from "../outbox/frames.ts";
import { SlowClient } from "../outbox/slow-client.ts";
import { deltaFrame, type DialectView } from "./session-view.ts";

interface DialectSubscriptionOptions {
  readonly feed: SessionFeed;
  readonly view: DialectView;
  readonly outbox: ClientOutbox;
  readonly metrics: NotifierMetrics;
  readonly failed: (error: Error) => void;
}

/**
 * The part that the client has of an open event's text. It appends everything that it gets and cannot take anything back, so text of which
 * that is not known, and text that was begun anew, is not sent: the completed event brings it.
 */
type SentText =
  | { readonly kind: "sent"; readonly attempt: number; readonly offset: number }
  /** The length of the text when the client came is not known yet. */
  | { readonly kind: "unknown" }
  | { readonly kind: "silent" };

const MAX_FRAME_CODE_UNITS = 32 * 1024;
const NOTHING_SENT: SentText = { kind: "sent", attempt: 0, offset: 0 };

/** One client's position in one session, in the dialect. */
export class DialectSubscription implements FeedWatcher {
  readonly #options: DialectSubscriptionOptions;
  /** Open events whose created message this client got from us, with their cursors. */
  readonly #opened = new Map<string, number>();
  /** Keyed by open event, once live. */
  readonly #texts = new Map<string, SentText>();
  #position = 0;
  #detach: (() => void) | undefined;
  #resumesOnDrain = false;
  readonly #slowClient: SlowClient;

  constructor(options: DialectSubscriptionOptions) {
    this.#options = options;
    this.#slowClient = new SlowClient(options.outbox);
  }

  /** The `seq` of the last event that the client has, or does not want. */
  get position(): number {
    return this.#position;
  }

  /** The client has everything up to this event, whose cursor is `dbEventId`: it may have the text of what is open there. */
  skipTo(seq: number, dbEventId: number): void {
    this.#position = Math.max(this.#position, seq);
    for (const [eventId, openedBy] of this.#opened) if (openedBy <= dbEventId) this.#opened.delete(eventId);
  }

  /** Goes live. The feed must not be ahead of `position`. */
  attach(): void {
    const { feed } = this.#options;
    this.#detach = feed.attach(this);
    if (feed.lastSeq === this.#position) this.#sendOpenTexts();
  }

  detach(): void {
    this.#detach?.();
    this.#detach = undefined;
    this.#texts.clear();
  }

  event(framed: EventFrame): void {
    const { seq, dbEventId } = framed;
    const { view, outbox } = this.#options;
    if (seq === this.#position && this.#detach !== undefined) this.#sendOpenTexts();
    if (seq <= this.#position) return;
    this.#position = seq;
    const { frames, opens, completes } = view.translated(framed);
    if (opens !== undefined) {
      this.#opened.set(opens, dbEventId);
      if (this.#detach !== undefined) this.#texts.set(opens, NOTHING_SENT);
    }
    if (completes !== undefined) {
      this.#opened.delete(completes);
      this.#texts.delete(completes);
    }
    for (const frame of frames) outbox.event(frame);
  }

  chunk(_frame: WebSocketFrame, chunk: StreamChunk): void {
    const { feed, view, outbox, metrics } = this.#options;
    if (feed.lastSeq < this.#position) return;
    const sent = this.#texts.get(chunk.event_id);
    if (sent?.kind !== "sent") return;
    const isNext = sent.attempt === chunk.attempt || sent.offset === 0;
    if (isNext && sent.offset === chunk.offset && outbox.hasRoomForChunks) {
      const offset = chunk.offset + chunk.delta.length;
      this.#texts.set(chunk.event_id, { kind: "sent", attempt: chunk.attempt, offset });
      return outbox.chunk(view.chunkFrame(chunk));
    }
    if (!outbox.hasRoomForChunks) metrics.chunksHeldBack.inc();
    this.#sendMissingText();
  }

  progress(frame: WebSocketFrame, progress: LiveProgress): void {
    const { feed, view, outbox } = this.#options;
    if (feed.lastSeq >= this.#position) outbox.progress(view.progressFrame(progress, frame));
  }

  async drained(): Promise<void> {
    return this.#slowClient.drained();
  }

  failed(error: Error): void {
    this.#options.failed(error);
  }

  /** The whole text so far of what was opened for this client; of anything else only what follows from now on. */
  #sendOpenTexts(): void {
    for (const eventId of this.#options.feed.liveText.openEventIds()) {
      if (this.#texts.has(eventId)) continue;
      if (this.#opened.has(eventId)) {
        this.#texts.set(eventId, NOTHING_SENT);
      } else {
        this.#texts.set(eventId, { kind: "unknown" });
        void this.#followFromNow(eventId);
      }
    }
    this.#sendMissingText();
  }

  /** Never rejects. */
  async #followFromNow(eventId: string): Promise<void> {
    const end = await this.#options.feed.liveText.settledEnd(eventId);
    if (this.#texts.get(eventId)?.kind !== "unknown") return;
    const isKnown = end !== undefined && end.length > 0 && !end.isRepeated;
    this.#texts.set(
      eventId,
      isKnown ? { kind: "sent", attempt: end.attempt, offset: end.length } : { kind: "silent" },
    );
  }

  #sendMissingText(): void {
    for (const [eventId, sent] of this.#texts) {
      if (sent.kind === "sent" && !this.#sendMissingTextOf(eventId, sent)) return this.#resumeOnDrain();
    }
  }

  /** False if there was no room for all of it. */
  #sendMissingTextOf(eventId: string, sent: Extract<SentText, { kind: "sent" }>): boolean {
    const { feed, outbox } = this.#options;
    const { attempt, text } = feed.liveText.get(eventId) ?? { attempt: 0, text: "" };
    if (text === "") return true;
    if (attempt !== sent.attempt && sent.offset > 0) {
      this.#texts.set(eventId, { kind: "silent" });
      return true;
    }
    let { offset } = sent;
    while (offset < text.length) {
      if (!outbox.hasRoomForChunks) return false;
      const rest = text.slice(offset, offset + MAX_FRAME_CODE_UNITS);
      const end = offset + rest.length;
      const delta = end === text.length ? rest : rest.slice(0, safeCut(rest, MAX_FRAME_CODE_UNITS));
      const ids = { session_id: feed.sessionId, event_id: eventId };
      outbox.chunk(deltaFrame(ids, { delta, timestamp: new Date().toISOString() }));
      offset += delta.length;
      this.#texts.set(eventId, { kind: "sent", attempt, offset });
    }
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
