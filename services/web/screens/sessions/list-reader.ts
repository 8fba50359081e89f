/** How the list is read: anew, when rows come, go and move, or for the values of the rows. */
type Reread = "reload" | "refresh";

interface ListReaderOptions<T> {
  /** Rejects once the signal aborts. */
  readonly read: (signal: AbortSignal, kind: Reread) => Promise<T>;
  readonly done: (value: T, kind: Reread) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Reads one value again and again, one request at a time: of two answers that overtake each other the older one would be shown
 * last. What happens while an answer is on its way is in the next one.
 */
export class ListReader<T> implements Disposable {
  readonly #options: ListReaderOptions<T>;
  #running: AbortController | undefined;
  #isWantedAgain = false;

  constructor(options: ListReaderOptions<T>) {
    this.#options = options;
  }

  /** True from a request to its answer. */
  get isReading(): boolean {
    return this.#running !== undefined;
  }

  /** Reads now; an answer that is on its way is not waited for. */
  reload(): void {
    this.#running?.abort();
    void this.#read("reload");
  }

  /** Reads now, or once more after the answer that is on its way. */
  refresh(): void {
    if (this.isReading) this.#isWantedAgain = true;
    else void this.#read("refresh");
  }

  [Symbol.dispose](): void {
    this.#running?.abort();
    this.#isWantedAgain = false;
  }

  async #read(kind: Reread): Promise<void> {
    const { read, done, failed } = this.#options;
    const running = new AbortController();
    this.#running = running;
    this.#isWantedAgain = false;
    const end = (report: () => void) => {
      if (running.signal.aborted) return;
      this.#running = undefined;
      report();
      if (this.#isWantedAgain) this.refresh();
    };
    try {
      const value = await read(running.signal, kind);
      end(() => done(value, kind));
    } catch (error) {
      end(() => failed(error));
    }
  }
}
