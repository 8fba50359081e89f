import type { Bus } from "#shared/bus/open-bus.ts";
import { knownPayload, type BusEvent, type StoredEvent } from "#shared/contracts/session-event.ts";
import type { LiveProgress } from "#shared/contracts/live-progress.ts";
import type { StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { EVENTS_LOST } from "#shared/database/events-purged.ts";
import { UNKNOWN_SESSION, unknownSession } from "#shared/database/find-session.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { RetryableError, TerminalError, errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import { eventFrame } from "../outbox/frames.ts";
import { snapshotAsker } from "./ask-snapshot.ts";
import type { ChunkPacer } from "./chunk-pacer.ts";
import { CursorReads } from "./cursor-reads.ts";
import { readFeedState, readMissedEvents } from "./feed-queries.ts";
import { FeedWatchers, type FeedWatcher } from "./feed-watchers.ts";
import { subscribeToLive } from "./live-subscription.ts";
import { LiveTextBuffer } from "./live-text-buffer.ts";
import { StoredEvents, type StoredEventsContext } from "./stored-events.ts";

export interface FeedContext extends StoredEventsContext {
  readonly bus: Bus;
  readonly log: Logger;
  readonly metrics: NotifierMetrics;
  readonly pacer: ChunkPacer;
  /** The time for which one slow client can delay the others while a gap is filled, in milliseconds. */
  readonly slowReaderMs: number;
}

/** Why a feed ends, where its watchers get the reason as it is. */
const REPORTED: ReadonlySet<string> = new Set([UNKNOWN_SESSION, EVENTS_LOST]);

const START_TIMEOUT_MS = 15_000;
const MAX_PENDING_CHUNKS = 2_000;
const LARGE_FRAME_BYTES = 16 * 1024;

/**
 * One session's events and chunks on this process, shared by all watchers:
 *
 *   starting ──(subscribed, state read)──▶ live ◀──▶ filling ──▶ failed or closed
 *
 * - `live`: delivers each event from the bus as long as it is the next one.
 * - `filling`: entered when a later event is known to exist (a gap, an event without inline payload, a polled number).
 *   Events are read from Postgres until the target is reached; events from the bus only move the target, and chunks
 *   wait.
 */
export class SessionFeed {
  readonly sessionId: string;
  /** Resolves once live. Rejects with TerminalError for an unknown session, RetryableError if the start failed. */
  readonly started: Promise<void>;
  /** The session's events up to the newest that was delivered. */
  readonly events: StoredEvents;
  readonly #context: FeedContext;
  readonly #log: Logger;
  readonly #onFailed: () => void;
  readonly #watchers: FeedWatchers;
  readonly #closing = new AbortController();
  readonly #liveText: LiveTextBuffer;
  readonly #cursors: CursorReads;
  #subscription: ReturnType<typeof subscribeToLive> | undefined;
  /** The newest event that is known to be stored; the feed may not have delivered it yet. */
  #storedSeq = 0;
  #target = 0;
  #filling = true;
  #pendingChunks: StreamChunk[] = [];
  /** The session has ended: only then can it be deleted. */
  #isOver = false;
  #hasStarted = false;

  /** `onFailed` is called when the feed fails after it had started. */
  constructor(context: FeedContext, sessionId: string, onFailed: () => void) {
    this.sessionId = sessionId;
    this.#context = context;
    this.#onFailed = onFailed;
    this.#watchers = new FeedWatchers(context.slowReaderMs);
    this.#log = context.log.child({ session_id: sessionId });
    this.events = new StoredEvents(context, sessionId);
    const { signal } = this.#closing;
    this.#cursors = new CursorReads({ reads: context.reads, sessionId, signal });
    this.#liveText = new LiveTextBuffer({
      sessionId,
      emit: (chunk) => this.#watchers.chunk(chunk),
      ask: snapshotAsker(context.bus, sessionId, context.metrics),
      pacer: context.pacer,
    });
    this.started = this.#start();
    this.started.catch(() => undefined); // Every watcher awaits `started`; without a watcher the error is irrelevant.
  }

  /** The newest event that was delivered. */
  get lastSeq(): number {
    return this.events.lastSeq;
  }

  /** Aborts when the feed ends. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** The text of open events, as far as watchers have received it. */
  get liveText(): Pick<LiveTextBuffer, "get" | "openEventIds" | "settledEnd"> {
    return this.#liveText;
  }

  /** Code units of buffered text and waiting chunks. */
  get bufferedText(): number {
    return this.#liveText.size + this.#pendingChunks.reduce((sum, { delta }) => sum + delta.length, 0);
  }

  /** Delivers to `watcher` what follows `lastSeq`. Call after `started`. Returns a detach function; throws if ended. */
  attach(watcher: FeedWatcher): () => void {
    this.#closing.signal.throwIfAborted();
    return this.#watchers.attach(watcher);
  }

  /** Reports that the session has events up to `seq`; missing ones are read from Postgres. */
  noticeLastSeq(seq: number): void {
    this.#storedSeq = Math.max(this.#storedSeq, seq);
    if (seq > this.lastSeq) this.#fill(seq);
  }

  /** Whether the session has no event `seq`. Throws the signal's reason. */
  async lacks(seq: number, signal: AbortSignal): Promise<boolean> {
    if (seq <= Math.max(this.#storedSeq, this.lastSeq)) return false;
    // Another notifier may have received the event from the bus before this one.
    const newest = await this.#cursors.lastSeq(signal);
    this.noticeLastSeq(newest);
    return seq > newest;
  }

  /** The `seq` of the newest event whose `db_event_id` is at most `id`; 0 if there is none. Throws the signal's reason. */
  async seqAt(id: number, signal: AbortSignal): Promise<number> {
    return this.events.seqAt(id) ?? this.#cursors.seqAt(id, signal);
  }

  /** Whether the event `seq` has another `db_event_id` than `id`. Throws the signal's reason. */
  async hasOther(seq: number, id: number, signal: AbortSignal): Promise<boolean> {
    const known = this.events.idAt(seq);
    return known === undefined ? this.#cursors.hasOther(seq, id, signal) : known !== id;
  }

  /**
   * Throws, for a client that joins after the start, TerminalError `unknown_session` if the session has been deleted
   * meanwhile, and the signal's reason. Asks Postgres only about a session that is over.
   */
  async checkExists(signal: AbortSignal): Promise<void> {
    if (!this.#isOver || (await this.#cursors.exists(signal))) return;
    const deleted = unknownSession(this.sessionId);
    this.end(deleted);
    throw deleted;
  }

  /**
   * Ends the feed of a session that was deleted, or of which a failover of Postgres has lost events, and all that is in memory of it; a feed
   * that still starts finds out itself.
   */
  end(reason: TerminalError): void {
    if (this.#hasStarted) this.#fail(reason);
  }

  close(reason: Error = new RetryableError("feed_closed", "the session is no longer watched")): void {
    this.#closing.abort(reason);
    this.#subscription?.unsubscribe();
    this.#watchers.detachAll();
    this.#liveText.clear();
    this.events.close(reason);
  }

  async #start(): Promise<void> {
    const { bus, reads } = this.#context;
    const late = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, late.signal]);
    let isLive = false;
    // A start that only waits for its turn to read is not given up: the client would come back to the end of the queue.
    const timer = setInterval(() => {
      if (!isLive) late.abort(new RetryableError("nats_away", "NATS does not answer"));
      else if (reads.isAway) late.abort(new RetryableError("postgres_away", "Postgres does not answer"));
    }, START_TIMEOUT_MS);
    try {
      this.#subscription = subscribeToLive(bus, this.sessionId, {
        event: (event) => this.#receive(event),
        chunk: (chunk) => this.#receiveChunk(chunk),
        progress: (progress) => this.#receiveProgress(progress),
      });
      await this.#subscription.live(signal);
      isLive = true;
      const state = await readFeedState({ reads, sessionId: this.sessionId, signal });
      if (state === undefined) {
        throw unknownSession(this.sessionId);
      }
      this.#isOver = isTerminal(state.session.status);
      this.events.startAfter(state.session.last_seq);
      for (const eventId of state.openEventIds) this.#liveText.open(eventId);
      this.#liveText.refresh();
      await this.#readUpToTarget();
      this.#hasStarted = true;
    } catch (error) {
      this.close();
      if (error instanceof TerminalError) throw error;
      throw new RetryableError(
        "not_available",
        `session ${this.sessionId} cannot be followed now (${errorMessage(error)}): subscribe again in a moment`,
        { cause: error },
      );
    } finally {
      clearInterval(timer);
    }
  }

  #receive({ session_id, seq, db_event_id, payload }: BusEvent): void {
    if (seq <= this.lastSeq) return;
    const isNext = !this.#filling && seq === this.lastSeq + 1;
    if (isNext && payload !== undefined) void this.#deliver({ session_id, seq, db_event_id, payload });
    else this.#fill(seq);
  }

  #receiveChunk(chunk: StreamChunk): void {
    this.#context.metrics.chunksReceived.inc();
    if (!this.#filling) return this.#liveText.accept(chunk);
    // A dropped chunk leaves a gap in the text, which is filled by a snapshot request.
    if (this.#pendingChunks.length < MAX_PENDING_CHUNKS) this.#pendingChunks.push(chunk);
  }

  /** Dropped while events are read from Postgres, which it would overtake. */
  #receiveProgress(progress: LiveProgress): void {
    if (!this.#filling) this.#watchers.progress(progress);
  }

  #fill(throughSeq: number): void {
    this.#target = Math.max(this.#target, throughSeq);
    if (this.#filling) return;
    this.#filling = true;
    this.#readUpToTarget().catch((error: unknown) => this.#fail(error));
  }

  async #readUpToTarget(): Promise<void> {
    const { reads, metrics } = this.#context;
    const { signal } = this.#closing;
    const query = { reads, sessionId: this.sessionId, signal };
    while (this.lastSeq < this.#target) {
      const page = await readMissedEvents(query, this.lastSeq);
      signal.throwIfAborted();
      if (page.length === 0) {
        this.#log.warn({ seq: this.#target }, "unknown event named on the bus");
        this.#target = this.lastSeq;
      }
      metrics.eventsFilled.inc(page.length);
      for (const event of page) {
        const isLarge = this.#deliver(event) > LARGE_FRAME_BYTES;
        if (isLarge || event === page.at(-1)) await this.#watchers.drained(signal);
      }
    }
    this.#filling = false;
    const chunks = this.#pendingChunks;
    this.#pendingChunks = [];
    for (const chunk of chunks) this.#liveText.accept(chunk);
  }

  /** Returns the size of the frame in bytes. */
  #deliver(event: StoredEvent): number {
    const payload = knownPayload(event.payload);
    if (payload?.type === "timeline_event.created" && payload.status === "streaming") {
      this.#liveText.open(payload.event_id);
    } else if (payload?.type === "timeline_event.completed") {
      this.#liveText.close(payload.event_id);
    } else if (payload?.type === "session.completed") {
      this.#isOver = true;
    }
    const framed = eventFrame(event);
    this.events.append(framed);
    this.#watchers.event(framed, event);
    return framed.frame.length;
  }

  #fail(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const isReported = error instanceof TerminalError && REPORTED.has(error.code);
    if (!isReported) this.#log.error({ error: errorMessage(error) }, "session feed failed");
    const failure = isReported
      ? error
      : new TerminalError(
          "feed_failed",
          `session ${this.sessionId} cannot be followed any further: reload it over REST and subscribe again`,
          { cause: error },
        );
    const watchers = this.#watchers.detachAll();
    this.close(failure);
    this.#onFailed();
    for (const watcher of watchers) watcher.failed(failure);
  }
}
