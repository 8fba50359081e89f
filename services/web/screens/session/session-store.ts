import { computed, signal, type Signal } from "@preact/signals";
import { ApiFailure } from "#shared/client/api-failure.ts";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { followSession } from "#shared/client/follow-session.ts";
import { waitFor } from "#shared/client/retry-delay.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { api, socketUrl } from "../../api/client.ts";
import { openSocket } from "../../api/sockets.ts";
import { foldUpTo, SessionFold } from "../../session/fold-events.ts";
import { FramePacer } from "../../session/frame-pacer.ts";
import { readHistory } from "../../session/read-history.ts";
import { LiveTexts } from "../../session/live-texts.ts";
import { DEFAULT_OPEN, type OpenRules } from "../../session/open-entries.ts";
import { isSessionMessage, type SessionMessage, type NumberedEvent } from "../../session/session-message.ts";
import { loadRare } from "../load-rare.ts";
import type { SessionView } from "../../session/session-view.ts";
import { viewOfFacts } from "../../session/view-of-facts.ts";
import { shownText } from "../../session/shown-text.ts";
import { TEXT } from "../../text.ts";
import type { Citations, CitedWords } from "./later/citations.tsx";

/** What the REST API says of a session, without its timeline: a long one is megabytes, and the events have it. */
export type SessionFacts = ApiResponse<"GET /api/v1/sessions/:id/overview">;

/** The connection to the notifier. `over`: the investigation has ended, and what is done with it later is followed; `gone`: the session was deleted. */
type ConnectionState = "connecting" | "live" | "lost" | "over" | "gone";

/** What no event carries, as it was at an earlier event; or why that is not known. */
export interface PastFacts {
  readonly seq: number;
  readonly facts?: SessionFacts;
  readonly problem?: string;
}

/** Between two reads of the numbers that no event carries, in milliseconds. */
const FACTS_PAUSE_MS = 10_000;
/** A session that takes long to read is read less often: the pause is this many times the duration of the last one. */
const FACTS_PAUSE_FACTOR = 20;

/** Until it is read again which messages to the agents are unread: many may come at once. */
const MESSAGE_PAUSE_MS = 250;

/** Until numbers that could not be read are read again, in milliseconds. */
const FACTS_RETRY_MS = 5_000;

/** Of events that a request asks for: as many as the api gives. */
const HISTORY_PAGE = 1_000;
/** So many events since the last rendering are history that is being read, not an investigation that goes on. */
const HISTORY_EVENTS = 30;
/** History is rendered so often, in milliseconds: rendering it in each frame would take most of the time of reading it. */
const HISTORY_PAUSE_MS = 500;

/** A session that is shown: its events as they come, what REST says of it, and what the reader has opened. */
export class SessionStore {
  readonly id: string;
  /** Rises in the frame in which a change of the view is to be shown. */
  readonly version = signal(0);
  readonly connection = signal<ConnectionState>("connecting");
  readonly facts = signal<SessionFacts | undefined>(undefined);
  /** What the session is called; undefined until its alert is known. */
  readonly title = computed(
    () => this.facts.value && (shownText(this.facts.value.alert_preview ?? "") || TEXT.titles.session),
  );
  /** Why there is nothing to show. */
  readonly failure = signal<string | undefined>(undefined);
  /** The event as of which the session is shown; undefined for now. */
  readonly at: Signal<number | undefined>;
  /** What REST says of the session as it was, for the latest event for which that is known. */
  readonly past = signal<PastFacts | undefined>(undefined);
  /** The event from whose step a fork is being prepared. */
  readonly forkAt = signal<number | undefined>(undefined);
  readonly open = signal<OpenRules>(DEFAULT_OPEN);
  /** What the conclusions cite; undefined until that is known. */
  readonly citations = signal<Citations | undefined>(undefined);
  /** The words that the reader followed to an entry last. */
  readonly followed = signal<CitedWords | undefined>(undefined);
  readonly live: LiveTexts;
  /** The last event that was stored when the page began to follow the session; undefined until all up to it are read. */
  readonly historyEnd = signal<number | undefined>(undefined);
  /** When something was added last, by `performance.now()`. */
  grewAt = 0;
  #fold = new SessionFold();
  #events: NumberedEvent[] = [];
  #past: SessionFold | undefined;
  /** What the numbers of the session's events are above those of the view, once its first events were deleted. */
  #shift = 0;
  readonly #stop = new AbortController();
  readonly #pacer = new FramePacer();
  #frame = 0;
  #hasNews = false;
  #viewChanged = false;
  #shownAt = 0;
  #shownEvents = 0;
  #factsTimer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer reads the facts, by `performance.now()`. */
  #factsDue = Infinity;
  #factsMs = 0;
  /** Counts the readings: the answer to an earlier one may come after that to a later one. */
  #factsRead = 0;
  /** True once the api has said that there is no such session, or none that this reader may see. */
  #isGone = false;

  constructor(id: string, at?: number) {
    this.id = id;
    this.at = signal(at);
    this.live = new LiveTexts((entryId) => this.#fold.text(entryId));
  }

  /** True until every event is read that the session as it is shown consists of: a part of them would tell of another state. */
  readonly isReading = computed(() => {
    const [at] = [this.at.value, this.version.value];
    return this.historyEnd.value === undefined && (at === undefined || this.#fold.view.seq < at);
  });

  readonly #factsView = computed(() =>
    viewOfFacts(this.at.value === undefined ? this.facts.value : undefined),
  );

  /** The session as it is shown: now, or as of the event that `at` names; while its events are read what the API says of it. */
  readonly view = computed<SessionView>(() =>
    this.isReading.value ? this.#factsView.value : this.#shown().snapshot(),
  );

  /** The status of the session now, whatever moment is shown; undefined until that is known. */
  readonly status = computed(() => {
    const [historyEnd] = [this.historyEnd.value, this.version.value];
    return historyEnd === undefined ? this.facts.value?.status : this.#fold.view.status;
  });

  #shown(): SessionFold {
    const [at] = [this.at.value, this.version.value];
    if (at === undefined) return this.#fold;
    if (this.#past === undefined || this.#past.view.seq > at) this.#past = foldUpTo(this.#events, at);
    const from = this.#past.view.seq;
    const first = this.#events.findLastIndex(({ seq }) => seq <= from) + 1;
    for (let index = first; index < this.#events.length; index += 1) {
      const event = this.#events[index];
      if (event === undefined || event.seq > at) break;
      this.#past.apply(event);
    }
    return this.#past;
  }

  /** The session as it is now. */
  get fold(): SessionFold {
    return this.#fold;
  }

  /** Shows the session as of an event; as it is now from the last one on. */
  goTo(seq: number): void {
    const before = this.at.peek();
    const newest = Math.max(this.#fold.view.seq, this.facts.peek()?.last_seq ?? 0);
    // While the events are being read the last one is not known: no step from one that has not come leads to the present.
    const isReading = before !== undefined && before > newest && this.historyEnd.peek() === undefined;
    this.at.value = !isReading && seq >= newest ? undefined : Math.max(1, seq);
  }

  /** Every event so far, in order; those of types that this page does not know are missing. */
  get events(): readonly NumberedEvent[] {
    return this.#events;
  }

  /** True where events were made up for those that were deleted: their numbers are not those of the api. */
  get hasOtherNumbers(): boolean {
    return this.#shift > 0;
  }

  /** Follows the session until `stop`. */
  start(): void {
    void this.#follow();
  }

  stop(): void {
    this.#stop.abort();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#factsTimer);
  }

  /** Reads what no event carries: alert, tokens, cost. Tries again later if the api does not answer. */
  async readFacts(): Promise<void> {
    clearTimeout(this.#factsTimer);
    this.#factsDue = Infinity;
    const began = performance.now();
    const reading = (this.#factsRead += 1);
    try {
      const request = { params: { id: this.id }, signal: this.#stop.signal };
      const facts = await api.call("GET /api/v1/sessions/:id/overview", request);
      if (reading !== this.#factsRead) return;
      this.facts.value = facts;
      this.#factsMs = performance.now() - began;
    } catch (error) {
      if (this.#stop.signal.aborted || reading !== this.#factsRead) return;
      this.#isGone = isRefusal(error);
      if (!this.#isGone) this.#readFactsIn(FACTS_RETRY_MS);
      // A session that is shown already stays; its numbers are older.
      else if (this.#events.length === 0) this.failure.value = messageOf(error);
    }
  }

  async #follow(): Promise<void> {
    // First and alone: it is small, and on a slow line the events would be in its way.
    await this.readFacts();
    for (;;) {
      if (this.#isGone || this.#stop.signal.aborted) return;
      try {
        await this.#readHistory();
        await this.#followLive();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        if (error instanceof ApiFailure && error.code === "events_lost") return location.reload();
        const isPurged = error instanceof ApiFailure && error.code === "events_purged";
        if (isPurged && (await this.#showPurged())) continue;
      }
      // The computer slept, or the api is being replaced: the page waits as long as that takes.
      await this.readFacts();
      if (this.#isGone) this.connection.value = "gone";
      if (this.#isGone || this.#stop.signal.aborted) return;
      await waitFor(FACTS_RETRY_MS, this.#stop.signal).catch(() => undefined);
    }
  }

  /** Reads what is stored already. */
  async #readHistory(): Promise<void> {
    try {
      await readHistory({
        afterSeq: this.#fold.view.seq + this.#shift,
        readPage: async (after_seq) =>
          api.call("GET /api/v1/sessions/:id/events", {
            params: { id: this.id },
            query: { after_seq, limit: HISTORY_PAGE },
            signal: this.#stop.signal,
          }),
        onEvents: (events) => {
          for (const event of events) this.#take(event);
        },
      });
      this.#endHistory();
    } catch (error) {
      this.#stop.signal.throwIfAborted();
      if (isRefusal(error)) throw error;
      // The socket tries again, from the last event that was read.
    }
  }

  /** All is read that was stored when the page was opened: from now on the events say how the session stands. */
  #endHistory(): void {
    // The last of it is shown at once.
    this.#shownAt = 0;
    if (this.#fold.view.endedAt !== undefined) this.connection.value = "over";
    this.historyEnd.value ??= this.#fold.view.seq;
  }

  async #followLive(): Promise<void> {
    await followSession({
      url: socketUrl(),
      sessionId: this.id,
      afterSeq: this.#fold.view.seq + this.#shift,
      followsAll: true,
      open: openSocket,
      signal: this.#stop.signal,
      onMessage: (message) => {
        const isOver = this.#fold.view.endedAt !== undefined;
        if (message["type"] === "subscription.confirmed") this.connection.value = isOver ? "over" : "live";
        else if (isSessionMessage(message)) this.#take(message);
        const { seq } = message;
        const isWhole = typeof seq === "number" && seq >= (this.facts.peek()?.last_seq ?? Infinity);
        if (isWhole && this.historyEnd.peek() === undefined) this.#endHistory();
      },
      onDisconnect: () => (this.connection.value = "lost"),
    });
  }

  #take(sent: SessionMessage): void {
    const message = this.#shift > 0 && "seq" in sent ? { ...sent, seq: sent.seq - this.#shift } : sent;
    this.#fold.apply(message);
    if ("seq" in message) this.#events.push(message);
    this.#hasNews = true;
    this.#viewChanged ||= message.type !== "stream.chunk";
    if (message.type === "interaction.created") this.#readFactsLater();
    if (changesFacts(message) && this.historyEnd.peek() !== undefined) this.#readFactsIn(MESSAGE_PAUSE_MS);
    this.#wantFrame();
    if (message.type !== "session.completed") return;
    void this.readFacts();
    this.#shownAt = 0;
    if (this.historyEnd.peek() !== undefined) this.connection.value = "over";
  }

  #wantFrame(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#show());
  }

  #show(): void {
    this.#frame = 0;
    const added = this.#events.length - this.#shownEvents;
    const now = performance.now();
    const isHistory = added > HISTORY_EVENTS && now - this.#shownAt < HISTORY_PAUSE_MS;
    if (isHistory || (!this.#pacer.next(now) && this.#hasNews)) return this.#wantFrame();
    if (!this.#hasNews) return;
    this.#hasNews = false;
    this.#shownAt = now;
    this.#shownEvents = this.#events.length;
    const grew = this.live.flush();
    const changed = this.#viewChanged;
    this.#viewChanged = false;
    if (changed) this.version.value += 1;
    if (!grew && !changed) return;
    this.grewAt = performance.now();
    this.#pacer.shown(now);
    // The next frame says how long this one takes.
    this.#wantFrame();
  }

  #readFactsLater(): void {
    const pause = Math.max(FACTS_PAUSE_MS, FACTS_PAUSE_FACTOR * this.#factsMs);
    this.#readFactsIn(pause);
  }

  /** Reads the facts after so many milliseconds, or earlier if that was asked for before. */
  #readFactsIn(pause: number): void {
    const due = performance.now() + pause;
    if (due >= this.#factsDue) return;
    clearTimeout(this.#factsTimer);
    this.#factsDue = due;
    this.#factsTimer = setTimeout(() => void this.readFacts(), pause);
  }

  /** The events were deleted long after the session's end; its rows say how it ended. False while they cannot be read. */
  async #showPurged(): Promise<boolean> {
    const request = { params: { id: this.id }, signal: this.#stop.signal };
    const facts = await api.call("GET /api/v1/sessions/:id", request).catch(() => undefined);
    if (facts === undefined || !isTerminal(facts.status)) return false;
    // Few sessions need it. Where its file is gone, as after an update of the api, it is tried again.
    const loaded = await loadRare().catch(() => undefined);
    if (loaded === undefined) return false;
    this.#fold = new SessionFold();
    this.#events = loaded.eventsOfRest(facts);
    for (const event of this.#events) this.#fold.apply(event);
    this.#shift = (facts.last_seq ?? 0) - this.#events.length;
    this.version.value += 1;
    return true;
  }
}

/** True if something changed that REST alone tells: the messages to the agents, the review, the score. */
function changesFacts(message: SessionMessage): boolean {
  if (message.type === "timeline_event.created") return message.event_type === "user_question";
  return ["steer.received", "review.status", "session.score_updated"].includes(message.type);
}

/** True for an answer that will be the same the next time. A page without a credential asks for one, and starts anew. */
function isRefusal(error: unknown): boolean {
  // An api of the version before, which is being replaced, does not know every path.
  if (error instanceof ApiFailure && error.message === "Not Found") return false;
  const status = error instanceof ApiFailure ? (error.status ?? 500) : 500;
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}

function messageOf(error: unknown): string {
  if (error instanceof ApiFailure && error.status === 404) return TEXT.session.notFound;
  return error instanceof Error ? error.message : TEXT.app.broken;
}
