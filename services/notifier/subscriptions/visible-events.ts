import type { Identity } from "#shared/access/identity.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { WebSocketFrame } from "../outbox/frames.ts";
import type { VisibleSessions } from "./visible-sessions.ts";

interface VisibleEventsOptions {
  readonly visible: VisibleSessions;
  readonly identity: Identity;
  readonly deliver: (frame: WebSocketFrame) => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Events that wait for the owner of a session to be read; above it they are dropped, as this channel has no history. */
const MAX_WAITING = 1_000;

/** Delivers those events of all sessions that the client may see, in their order. */
export class VisibleEvents {
  readonly #options: VisibleEventsOptions;
  readonly #waiting: { readonly frame: WebSocketFrame; readonly sessionId: string }[] = [];

  constructor(options: VisibleEventsOptions) {
    this.#options = options;
  }

  push(frame: WebSocketFrame, sessionId: string): void {
    const { visible, identity, deliver, log } = this.#options;
    const isVisible = this.#waiting.length === 0 ? visible.remembered(identity, sessionId) : undefined;
    if (isVisible === true) return deliver(frame);
    if (isVisible === false) return;
    if (this.#waiting.length >= MAX_WAITING) {
      log.error({ session_id: sessionId }, "status event not delivered: too many wait for Postgres");
      return;
    }
    this.#waiting.push({ frame, sessionId });
    if (this.#waiting.length === 1) void this.#deliverWaiting();
  }

  /** Never rejects. */
  async #deliverWaiting(): Promise<void> {
    const { visible, identity, deliver, log, signal } = this.#options;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const { frame, sessionId } = next;
      try {
        const isVisible =
          visible.remembered(identity, sessionId) ?? (await visible.find(identity, sessionId, signal));
        if (signal.aborted) return;
        if (isVisible) deliver(frame);
      } catch (error) {
        if (signal.aborted) return;
        log.error({ session_id: sessionId, error: errorMessage(error) }, "status event not delivered");
      }
      this.#waiting.shift();
    }
  }
}
