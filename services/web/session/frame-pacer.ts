/** A frame that comes later than this after the one before, in milliseconds, was missed: screens draw 60 or more a second. */
const LATE_MS = 25;
/** The most frames that are left out between two that show text: it moves at least 6 times a second. */
const MAX_LEFT_OUT = 9;

/**
 * Decides in which frames streamed text is brought onto the screen: in each one, as long as the browser can draw that in time.
 * When it cannot, frames are left out in between, so that the page still scrolls and answers while thousands of chunks a
 * second arrive.
 */
export class FramePacer {
  #leftOut = 0;
  #waits = 0;
  /** When the last frame showed text; undefined once it is known how long that took. */
  #shownAt: number | undefined;

  /** True until the next frame has said how long the last one took: it is wanted even if nothing arrives. */
  get isMeasuring(): boolean {
    return this.#shownAt !== undefined;
  }

  /** Called once per frame with its time in milliseconds; true if text is to be shown in it. */
  next(now: number): boolean {
    if (this.#shownAt !== undefined) {
      const isLate = now - this.#shownAt > LATE_MS;
      this.#leftOut = isLate ? Math.min(MAX_LEFT_OUT, this.#leftOut + 1) : Math.max(0, this.#leftOut - 1);
      this.#waits = this.#leftOut;
      this.#shownAt = undefined;
    }
    if (this.#waits > 0) {
      this.#waits -= 1;
      return false;
    }
    return true;
  }

  /** Called after `next` if the frame at this time showed text. */
  shown(now: number): void {
    this.#shownAt = now;
  }
}
