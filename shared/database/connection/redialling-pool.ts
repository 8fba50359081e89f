import { Pool, type PoolClient } from "pg";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { coerceError } from "#shared/errors.ts";
import { jitter } from "#shared/pause.ts";
import { setTimeout as wait } from "node:timers/promises";

type Callback = Parameters<Pool["connect"]>[0];

/** Of one statement, in all: a server that restarts, or an address that is being given to it, answers again within this time. */
const TRIES = 3;
const REDIAL_FOR_MS = 2_500;
const PAUSE_MS = 150;

/** Every connection is in use: none was dialled. */
function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

/**
 * Dials again, within the time of the statement that needs the connection, when one cannot be opened. Statements are not repeated. A
 * connection that was asked for and not opened has run none.
 */
export class RediallingPool extends Pool {
  override connect(): Promise<PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<PoolClient> | void {
    if (callback === undefined) return this.#open();
    void this.#openFor(callback);
  }

  async #openFor(callback: Callback): Promise<void> {
    try {
      const client = await this.#open();
      callback(undefined, client, (release?: Error | boolean) => client.release(release));
    } catch (error) {
      callback(coerceError(error), undefined, () => undefined);
    }
  }

  async #open(): Promise<PoolClient> {
    const startedAt = performance.now();
    for (let tries = 1; ; tries++) {
      try {
        return await super.connect();
      } catch (error) {
        const isOver = tries === TRIES || performance.now() - startedAt > REDIAL_FOR_MS || this.ending;
        if (isOver || isPoolBusy(error) || !isDatabaseUnavailable(error)) throw error;
        await wait(jitter(PAUSE_MS));
      }
    }
  }
}
