import { untilAborted } from "#shared/until-aborted.ts";

/**
 * The time for which a subscription waits for a catchup before it sends events from the first one: longer than one lost packet between
 * the two messages delays the second.
 */
const WAIT_MS = 250;

/**
 * The time after a subscription in which its client may say what it has: a client that connects again sends a catchup right
 * behind the subscription, and would get twice what had been sent by then.
 */
export class TimeToCatchUp {
  readonly #ended = Promise.withResolvers<void>();
  readonly #timer = setTimeout(() => this.#ended.resolve(), WAIT_MS);

  /** Ends the time at once. */
  end(): void {
    clearTimeout(this.#timer);
    this.#ended.resolve();
  }

  /** Resolves when the time is over. Throws the signal's reason. */
  async over(signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(this.#ended.promise, signal);
    } finally {
      clearTimeout(this.#timer);
    }
  }
}
