/**
 * What is known of a session's inbox, whose number rises when others write something that the owner waits for. The lease's
 * renewal tells of it.
 */
export class InboxWatch {
  #newest = -1;
  readonly #listeners = new Set<() => void>();

  /** Tells that `seq` is the inbox's newest entry. */
  notice(seq: number): void {
    if (seq <= this.#newest) return;
    this.#newest = seq;
    for (const listener of this.#listeners) listener();
  }

  /** Resolves once the inbox has an entry that is newer than `seq`; rejects with the signal's reason. */
  async untilNewerThan(seq: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal.reason);
    const onNotice = () => {
      if (this.#newest > seq) resolve();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#listeners.add(onNotice);
    onNotice();
    try {
      await promise;
    } finally {
      this.#listeners.delete(onNotice);
      signal.removeEventListener("abort", onAbort);
    }
  }
}
