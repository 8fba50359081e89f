import { setTimeout as wait } from "node:timers/promises";
import type { DataSource } from "typeorm";
import type { Bus } from "#shared/bus/open-bus.ts";
import { subscribe, type BusSubscription } from "#shared/bus/subscribe.ts";
import { busEventCodec, type BusEvent, type SessionEvent } from "#shared/contracts/session-event.ts";
import { streamChunkCodec, type StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { readEvents, readLastSeqs } from "#shared/database/read-events.ts";
import { RetryableError, TerminalError, errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";
import { snapshotAsker } from "./ask-snapshot.ts";
import type { ChunkPacer } from "./chunk-pacer.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import { OpenStreams, type OpenStream } from "./live-text-buffer.ts";
import { readSessionState } from "./feed-queries.ts";
import { retryUnavailable } from "./retry-unavailable.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { untilLive } from "./until-live.ts";
import { chunkFrame, eventFrame, type Frame } from "../outbox/frames.ts";

export interface FeedContext {
  readonly bus: Bus;
  readonly db: DataSource;
  readonly log: Logger;
  readonly metrics: NotifierMetrics;
  readonly pacer: ChunkPacer;
}

/** Someone who follows a session from the feed's present position on. Called synchronously and in order. */
export interface FeedWatcher {
  event(frame: Frame, event: SessionEvent): void;
  /** The mirror (`stream`) already holds the chunk. */
  chunk(frame: Frame, chunk: StreamChunk): void;
  /** Resolves once the watcher has read most of what it was given, or at once if somebody waits for that already. */
  room(): Promise<void>;
  /** The feed cannot go on; nothing follows. */
  failed(error: Error): void;
}

/** Events can be large (a tool result has 256 KiB), so a page must not be long. */
export const EVENT_PAGE = 50;
const START_LIMIT_MS = 15_000;
const MAX_WAITING_CHUNKS = 2_000;
const LARGE_FRAME_BYTES = 16 * 1024;
/** A watcher that falls behind holds the others up this long, once. */
const BREATH_MS = 200;

/**
 * One session's channel on this process, shared by all its watchers:
 *
 *   starting ──(subscribed, position read)──▶ live ◀──▶ filling ──▶ failed or closed
 *
 * `live` delivers what the bus brings as long as each event is the next one. Whatever else shows that there are
 * later events (a hole, an event without payload, the number read every two seconds) leads to `filling`: events are
 * read from Postgres until the target is reached, while later ones from the bus only move the target and chunks wait.
 */
export class SessionFeed {
  readonly sessionId: string;
  /** Resolves once live; rejects with one sentence when the session is unknown or cannot be followed now. */
  readonly started: Promise<void>;
  readonly #context: FeedContext;
  readonly #log: Logger;
  readonly #ended: () => void;
  readonly #watchers = new Set<FeedWatcher>();
  readonly #closing = new AbortController();
  readonly #streams: OpenStreams;
  #subscriptions: BusSubscription[] = [];
  #lastSeq = 0;
  #target = 0;
  #filling = true;
  #waitingChunks: StreamChunk[] = [];

  /** `ended` is called when a feed that had started gives up. */
  constructor(context: FeedContext, sessionId: string, ended: () => void) {
    this.sessionId = sessionId;
    this.#context = context;
    this.#ended = ended;
    this.#log = context.log.child({ session_id: sessionId });
    this.#streams = new OpenStreams({
      sessionId,
      emit: (chunk) => this.#deliverChunk(chunk),
      ask: snapshotAsker(context.bus, sessionId, context.metrics),
      pacer: context.pacer,
    });
    this.started = this.#start();
    this.started.catch(() => undefined); // every watcher awaits it; without one there is nobody to tell
  }

  /** The newest event that was delivered. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Follows from `lastSeq` on; only once started. Returns the way out. Throws why it ended, if it has. */
  attach(watcher: FeedWatcher): () => void {
    this.#closing.signal.throwIfAborted();
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** The text so far of an open event, as far as watchers were given it. */
  stream(eventId: string): OpenStream | undefined {
    return this.#streams.get(eventId);
  }

  /** The events that are being written, oldest first. */
  openStreams(): string[] {
    return this.#streams.ids();
  }

  /** UTF-16 units of open events' text and chunks that wait, held for whoever joins. */
  get heldText(): number {
    return this.#streams.size + this.#waitingChunks.reduce((sum, { delta }) => sum + delta.length, 0);
  }

  /** Somebody knows that the session has this many events. */
  noticeLastSeq(seq: number): void {
    if (seq > this.#lastSeq) this.#fill(seq);
  }

  close(reason: Error = new RetryableError("feed_closed", "the session is no longer watched")): void {
    this.#closing.abort(reason);
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#watchers.clear();
  }

  async #start(): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(START_LIMIT_MS)]);
    try {
      const { bus, db } = this.#context;
      // Both subscriptions on one connection: no chunk overtakes its event.
      const events = subscribe(bus, SUBJECTS.events(this.sessionId), busEventCodec, (event) =>
        this.#receive(event),
      );
      const chunks = subscribe(bus, SUBJECTS.chunks(this.sessionId), streamChunkCodec, (chunk) =>
        this.#receiveChunk(chunk),
      );
      this.#subscriptions = [events, chunks];
      await untilLive(chunks, signal);
      const state = await retryUnavailable("a subscription", { log: this.#log, signal }, () =>
        readSessionState(db.manager, this.sessionId),
      );
      if (state === undefined) {
        throw new TerminalError("unknown_session", `there is no session ${this.sessionId}`);
      }
      this.#lastSeq = state.lastSeq;
      for (const eventId of state.openEventIds) this.#streams.open(eventId);
      this.#streams.refresh();
      await this.#readUpToTarget();
    } catch (error) {
      this.close();
      if (error instanceof TerminalError) throw error;
      throw new RetryableError(
        "not_available",
        `session ${this.sessionId} cannot be followed now (${errorMessage(error)}): subscribe again in a moment`,
        { cause: error },
      );
    }
  }

  #receive({ session_id, seq, db_event_id, payload }: BusEvent): void {
    if (seq <= this.#lastSeq) return;
    const next = !this.#filling && seq === this.#lastSeq + 1;
    if (next && payload !== undefined) void this.#deliver({ session_id, seq, db_event_id, payload });
    else this.#fill(seq);
  }

  #receiveChunk(chunk: StreamChunk): void {
    this.#context.metrics.chunksReceived.inc();
    if (!this.#filling) return this.#streams.accept(chunk);
    // What no longer fits is a hole in its stream, and asked for.
    if (this.#waitingChunks.length < MAX_WAITING_CHUNKS) this.#waitingChunks.push(chunk);
  }

  #fill(throughSeq: number): void {
    this.#target = Math.max(this.#target, throughSeq);
    if (this.#filling) return;
    this.#filling = true;
    this.#readUpToTarget().catch((error: unknown) => this.#fail(error));
  }

  async #readUpToTarget(): Promise<void> {
    const { db, metrics } = this.#context;
    const { signal } = this.#closing;
    while (this.#lastSeq < this.#target) {
      const page = await retryUnavailable("a gap", { log: this.#log, signal }, () =>
        readEvents(db.manager, this.sessionId, { afterSeq: this.#lastSeq, limit: EVENT_PAGE }),
      );
      signal.throwIfAborted();
      if (page.length === 0) await this.#judgeMissing(signal);
      metrics.eventsFilled.inc(page.length);
      for (const event of page) {
        if (this.#deliver(event) > LARGE_FRAME_BYTES || event === page.at(-1)) await this.#breathe(signal);
      }
    }
    this.#filling = false;
    const chunks = this.#waitingChunks;
    this.#waitingChunks = [];
    for (const chunk of chunks) this.#streams.accept(chunk);
  }

  /** Nothing was found up to the target: only the session's own row tells a false number on the bus from a loss. */
  async #judgeMissing(signal: AbortSignal): Promise<void> {
    const { manager } = this.#context.db;
    const [lastSeqs, next] = await retryUnavailable(
      "a gap",
      { log: this.#log, signal },
      async (): Promise<[Map<string, number>, SessionEvent[]]> => [
        await readLastSeqs(manager, [this.sessionId]),
        // Read second, so that an event committed in between is not taken for a missing one.
        await readEvents(manager, this.sessionId, { afterSeq: this.#lastSeq, limit: 1 }),
      ],
    );
    if (next.length > 0) return;
    if ((lastSeqs.get(this.sessionId) ?? 0) > this.#lastSeq) {
      throw new TerminalError("events_missing", `events of session ${this.sessionId} are missing`);
    }
    this.#log.warn({ seq: this.#target }, "the bus named an event that does not exist");
    this.#target = this.#lastSeq;
  }

  /** What is read comes faster than any client reads: nobody shall be taken for slow because of that. */
  async #breathe(signal: AbortSignal): Promise<void> {
    const room = Promise.all([...this.#watchers].map((watcher) => watcher.room()));
    await untilAborted(Promise.race([room, wait(BREATH_MS, undefined, { ref: false })]), signal);
  }

  /** Returns how many bytes it took. */
  #deliver(event: SessionEvent): number {
    this.#lastSeq = event.seq;
    const { payload } = event;
    if (payload.type === "timeline_event.created" && payload.status === "streaming") {
      this.#streams.open(payload.event_id);
    } else if (payload.type === "timeline_event.completed") {
      this.#streams.close(payload.event_id);
    }
    const frame = eventFrame(event);
    for (const watcher of this.#watchers) watcher.event(frame, event);
    return frame.length;
  }

  #deliverChunk(chunk: StreamChunk): void {
    const frame = chunkFrame(chunk);
    for (const watcher of this.#watchers) watcher.chunk(frame, chunk);
  }

  #fail(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#log.error({ error: errorMessage(error) }, "session feed failed");
    const failure = new TerminalError(
      "feed_failed",
      `session ${this.sessionId} cannot be followed any further: reload it over REST and subscribe again`,
      { cause: error },
    );
    const watchers = [...this.#watchers];
    this.close(failure);
    this.#ended();
    for (const watcher of watchers) watcher.failed(failure);
  }
}
