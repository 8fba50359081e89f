import { errorMessage } from "#shared/errors.ts";
import type { Database } from "#shared/database/database.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { askForPlaces } from "./ask-for-places.ts";

interface CriticalPlacesDeps {
  readonly db: Database;
  readonly dispatcher: Dispatcher;
  readonly log: Logger;
  readonly metrics: Pick<ApiMetrics, "parkRequests">;
  /** Sessions that all executors together may run. */
  readonly places: number;
}

/**
 * Asks running sessions of lower priority to park while critical ones wait without a place. Rows decide under a lock, so any number of apis may
 * ask, at any time.
 */
export class CriticalPlaces implements AsyncDisposable {
  readonly #deps: CriticalPlacesDeps;
  #running: Promise<void> | undefined;
  #isWanted = false;

  constructor(deps: CriticalPlacesDeps) {
    this.#deps = deps;
  }

  /** Asks in the background: once for all that wait, also for a critical session that was committed while it asks. */
  look(): void {
    this.#isWanted = true;
    this.#running ??= this.#lookUntilDone().finally(() => (this.#running = undefined));
  }

  /** Rejects while NATS or Postgres is unavailable. */
  async askNow(): Promise<void> {
    const { db, dispatcher, log, metrics, places } = this.#deps;
    // Without NATS no critical session could take the place.
    await dispatcher.check();
    const asked = await askForPlaces(db, places);
    metrics.parkRequests.inc(asked.length);
    for (const { session_id, inbox_seq, lane } of asked) {
      dispatcher.noticeInbox(session_id, inbox_seq);
      log.info({ session_id, lane }, "session asked to park for a critical one");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running;
  }

  async #lookUntilDone(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      try {
        await this.askNow();
      } catch (error) {
        // The sweeper asks again.
        this.#deps.log.warn({ error: errorMessage(error) }, "places for critical sessions not asked for");
      }
    }
  }
}
