import type { ClientOutbox } from "./client-outbox.ts";

/** The wait of a session's feed for one of its clients that reads slowly. */
export class SlowClient {
  readonly #outbox: Pick<ClientOutbox, "hasRoomForChunks" | "onDrain">;
  #isDraining = false;

  constructor(outbox: Pick<ClientOutbox, "hasRoomForChunks" | "onDrain">) {
    this.#outbox = outbox;
  }

  /** Resolves once the client has read what waits for it; at once while an earlier call of this waits for it. */
  async drained(): Promise<void> {
    // A client that is still draining has delayed the others once already.
    if (this.#outbox.hasRoomForChunks || this.#isDraining) return;
    this.#isDraining = true;
    await new Promise<void>((resolve) => this.#outbox.onDrain(resolve));
    this.#isDraining = false;
  }
}
