import { eventOfWire } from "#shared/contracts/wire-event.ts";
import type { SocketMessage } from "#shared/contract-view/socket-message.ts";
import { summaryStageId } from "#shared/contract-view/shown-stages.ts";
import { knownPayload, type StoredEvent } from "#shared/contracts/session-event.ts";
import type { LiveProgress } from "#shared/contracts/live-progress.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import type { FeedWatcher } from "../feed/feed-watchers.ts";
import {
  frameMessage,
  keptFrame,
  messageFrame,
  type EventFrame,
  type WebSocketFrame,
} from "../outbox/frames.ts";
import type { DialectFacts } from "./session-facts.ts";
import { shownStageOf, translateEvent } from "./translate-event.ts";

/** A stored event in the dialect. */
interface TranslatedEvent {
  readonly frames: readonly WebSocketFrame[];
  /** The timeline event that it opens for streaming. */
  readonly opens: string | undefined;
  /** The timeline event of which no text follows. */
  readonly completes: string | undefined;
}

/**
 * One session as the clients of the contract see it, for all of them. What an event is translated to is kept as long as the
 * event's own frame is, which bounds it by as many bytes again.
 */
export class DialectView implements FeedWatcher {
  readonly facts: DialectFacts;
  readonly #translated = new WeakMap<EventFrame, TranslatedEvent>();
  readonly #chunks = new WeakMap<StreamChunk, WebSocketFrame>();
  readonly #progress = new WeakMap<LiveProgress, WebSocketFrame>();

  constructor(facts: DialectFacts) {
    this.facts = facts;
  }

  /** An event of the session as messages. */
  translated(framed: EventFrame): TranslatedEvent {
    return this.#translated.get(framed) ?? this.#translate(framed, eventOfWire(frameMessage(framed.frame)));
  }

  /** A whole chunk as a message. */
  chunkFrame(chunk: StreamChunk): WebSocketFrame {
    const known = this.#chunks.get(chunk);
    if (known !== undefined) return known;
    const frame = deltaFrame(chunk, chunk);
    this.#chunks.set(chunk, frame);
    return frame;
  }

  /** A message about progress; `frame` is that of the exact protocol. */
  progressFrame(progress: LiveProgress, frame: WebSocketFrame): WebSocketFrame {
    if (progress.type === "tool.progress") return frame;
    const stage_id =
      progress.phase === "finalizing"
        ? summaryStageId(progress.session_id)
        : shownStageOf(progress, this.facts);
    if (stage_id === progress.stage_id) return frame;
    const known = this.#progress.get(progress);
    if (known !== undefined) return known;
    const translated = messageFrame({ ...progress, stage_id });
    this.#progress.set(progress, translated);
    return translated;
  }

  /** Called before the clients get the event. An event that comes before the rows are read is translated when a client wants it. */
  event(framed: EventFrame, event: StoredEvent): void {
    const payload = knownPayload(event.payload);
    if (payload !== undefined) this.facts.addEvent(payload);
    if (this.facts.hasRows) this.#translate(framed, event);
  }

  chunk(): void {
    // Nothing is known from text.
  }

  progress(): void {
    // Nor from progress.
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  failed(): void {
    // The clients learn it by their own subscriptions.
  }

  /** Clients of the contract do not get an event of a later version. */
  #translate(framed: EventFrame, { payload: stored, db_event_id }: Omit<StoredEvent, "session_id">) {
    const payload = knownPayload(stored);
    const messages = payload === undefined ? [] : translateEvent({ payload, db_event_id }, this.facts);
    const translated = {
      frames: messages.map(keptFrame),
      opens:
        payload?.type === "timeline_event.created" && payload.status === "streaming"
          ? payload.event_id
          : undefined,
      completes: framed.completes,
    };
    this.#translated.set(framed, translated);
    return translated;
  }
}

/** A piece of an open event's text. */
export function deltaFrame(
  { session_id, event_id }: Pick<StreamChunk, "session_id" | "event_id">,
  { delta, timestamp }: Pick<StreamChunk, "delta" | "timestamp">,
): WebSocketFrame {
  const message: SocketMessage = { type: "stream.chunk", session_id, event_id, delta, timestamp };
  return messageFrame(message);
}
