import type { Database } from "#shared/database/database.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { NOTHING_COMMITTED, readReplayState, type ReplayState } from "./replay-state.ts";

interface WatchedStateOptions {
  readonly db: Database;
  readonly sessionId: string;
  readonly log: Logger;
  /** Called with each state that is read, before those who wait. */
  readonly onState: (state: ReplayState) => Promise<void> | void;
}

/** The committed state of a replayed session, read anew after each commit, for those who wait for a part of it. */
export class WatchedState {
  readonly #options: WatchedStateOptions;
  #current: ReplayState = NOTHING_COMMITTED;
  #changed = Promise.withResolvers<void>();
  #reading: Promise<void> | undefined;
  #isStale = false;
  #lastProgress = performance.now();

  constructor(options: WatchedStateOptions) {
    this.#options = options;
  }

  get current(): ReplayState {
    return this.#current;
  }

  /** Milliseconds since anything happened. */
  get idleMs(): number {
    return performance.now() - this.#lastProgress;
  }

  /** Something has happened that is no commit. */
  progressed(): void {
    this.#lastProgress = performance.now();
  }

  /** A commit may have changed the rows: they are read once more. */
  notice(): void {
    this.progressed();
    this.#isStale = true;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
  }

  /** Those who wait look again, though the rows are the same. */
  wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }

  /** Resolves once `isMet`; true if it had to wait. Throws the signal's reason. */
  async until(isMet: (state: ReplayState) => boolean, signal: AbortSignal): Promise<boolean> {
    let hasWaited = false;
    for (;;) {
      signal.throwIfAborted();
      const { promise } = this.#changed;
      if (isMet(this.#current)) return hasWaited;
      hasWaited = true;
      await untilAborted(promise, signal);
    }
  }

  /** Resolves once no reading is under way. */
  async settled(): Promise<void> {
    while (this.#reading !== undefined) await this.#reading;
  }

  async #read(): Promise<void> {
    const { db, sessionId, log, onState } = this.#options;
    while (this.#isStale) {
      this.#isStale = false;
      try {
        this.#current = await readReplayState(db, sessionId);
        await onState(this.#current);
      } catch (error) {
        log.error({ error: errorMessage(error) }, "state of a replay not read");
      }
      this.wake();
    }
  }
}
