import type { WakeUp } from "#shared/contracts/wake-up-queue.ts";

/** While wake-ups follow each other faster, they are sent together. Far below what a session's start takes. */
const BURST_EVERY_MS = 5;
/** The same after a burst of several: they come faster than an executor starts sessions. */
const BUSY_BURST_EVERY_MS = 20;

/**
 * Sends wake-ups in bursts and in the order of the calls: the first one in this turn of the event loop, after the answers that
 * are being written, and what comes within the next 5 ms together, or 20 ms under load. A burst of them costs little more than one.
 */
export class WakeUpBursts {
  readonly #send: (wakeUps: readonly WakeUp[]) => void;
  #waiting: WakeUp[] = [];
  #isScheduled = false;

  constructor(send: (wakeUps: readonly WakeUp[]) => void) {
    this.#send = send;
  }

  add(wakeUp: WakeUp): void {
    this.#waiting.push(wakeUp);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#next());
  }

  /** Sends what waits. */
  flush(): void {
    if (this.#waiting.length > 0) this.#send(this.#waiting.splice(0));
  }

  #next(): void {
    const { length } = this.#waiting;
    this.#isScheduled = length > 0;
    this.flush();
    if (this.#isScheduled) setTimeout(() => this.#next(), length > 1 ? BUSY_BURST_EVERY_MS : BURST_EVERY_MS);
  }
}
