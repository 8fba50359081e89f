import { FOLLOWUP_LANE } from "#shared/contracts/subjects.ts";
import type { WakeUp } from "#shared/contracts/wake-up-queue.ts";

/** One sweep over the unowned sessions, as the dispatcher sees it. */
export interface Sweep {
  /** Aborts when a new session is to be dispatched by the next sweep, which should then start at once. */
  readonly nextWanted: AbortSignal;
  /** Reports that every unowned session found by this sweep is in the stream. */
  finish(): Promise<void>;
}

interface QueueAccess {
  /** Creates or updates the streams and the consumer; called once after each loss. */
  readonly prepare: () => Promise<void>;
  /** Sends a wake-up in the background, in the order of the calls. */
  readonly send: (wakeUp: WakeUp) => void;
}

/** More are left to the next sweep. */
const MAX_HELD = 1_000;

/**
 * Keeps wake-ups in the order of the sessions' age. At the start, after a reconnect and after a failed wake-up the
 * stream may be incomplete; until a sweep has filled it, new sessions wait, or they would run before older ones.
 */
export class CatchUp {
  readonly #queue: QueueAccess;
  #losses = 0;
  #preparedAfter = -1;
  #preparing: { readonly after: number; readonly done: Promise<void> } | undefined;
  #caughtUpAfter = -1;
  #held: WakeUp[] = [];
  #wanted = new AbortController();

  constructor(queue: QueueAccess) {
    this.#queue = queue;
  }

  /** Reports that wake-ups may have been lost. */
  reportLoss(): void {
    this.#losses += 1;
  }

  /** Reports that wake-ups may have been lost, and starts the next sweep at once. */
  recover(): void {
    this.reportLoss();
    this.requestSweep();
  }

  /** Passes on the result of work on the stream; if it fails, wake-ups may have been lost. */
  async watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.reportLoss();
      throw error;
    }
  }

  /** Starts the next sweep at once. */
  requestSweep(): void {
    this.#wanted.abort();
  }

  /** Sends the wake-up of a session that is committed, now or with the sweep that completes the stream. */
  wake(wakeUp: WakeUp): void {
    // A follow-up waits for no session. If its stream is missing, the sweep that creates it sends the wake-up again.
    if (this.#isCaughtUp || wakeUp.lane === FOLLOWUP_LANE) return this.#queue.send(wakeUp);
    if (this.#held.length < MAX_HELD) this.#held.push(wakeUp);
    this.requestSweep();
  }

  /** Resolves once the streams and the consumer exist with their settings. Concurrent calls share the work. */
  async prepare(): Promise<void> {
    const losses = this.#losses;
    if (this.#preparedAfter === losses) return;
    if (this.#preparing?.after !== losses) {
      this.#preparing = { after: losses, done: this.#queue.prepare() };
    }
    const preparing = this.#preparing;
    try {
      await preparing.done;
      this.#preparedAfter = Math.max(this.#preparedAfter, losses);
    } finally {
      if (this.#preparing === preparing) this.#preparing = undefined;
    }
  }

  /** To be called before the sessions are read: this sweep finds all that were committed before. */
  startSweep(): Sweep {
    const losses = this.#losses;
    const wanted = new AbortController();
    this.#wanted = wanted;
    this.#held = [];
    return {
      nextWanted: wanted.signal,
      finish: async () => {
        await this.prepare();
        this.#caughtUpAfter = losses;
        if (!this.#isCaughtUp) return;
        // Committed while the sweep ran, which may have missed them: they go before all later ones.
        for (const wakeUp of this.#held.splice(0)) this.#queue.send(wakeUp);
      },
    };
  }

  get #isCaughtUp(): boolean {
    return this.#caughtUpAfter === this.#losses;
  }
}
