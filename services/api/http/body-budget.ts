import { RequestError } from "./request-error.ts";

interface OpenBody {
  bytes: number;
  readonly refuse: (error: RequestError) => void;
}

/** What a chunk takes beside its content: a client may send each byte in a chunk of its own. */
const CHUNK_OVERHEAD_BYTES = 512;

/** The bytes of all request bodies that are being read: who sends a body and never ends it must not take the memory. */
export class BodyBudget {
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #open = new Set<OpenBody>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Starts to count a body, of which `add` reports each chunk as it arrives; `refuse` may be called once, until `close`. */
  open(refuse: (error: RequestError) => void): {
    readonly add: (bytes: number) => void;
    readonly close: () => void;
  } {
    const body: OpenBody = { bytes: 0, refuse };
    this.#open.add(body);
    return {
      add: (bytes) => {
        if (!this.#open.has(body)) return;
        const taken = bytes + CHUNK_OVERHEAD_BYTES;
        body.bytes += taken;
        this.#bytes += taken;
        while (this.#bytes > this.#maxBytes) this.#refuseLargest();
      },
      close: () => this.#close(body),
    };
  }

  /** The largest, of equal ones the oldest: an alert of ordinary size is never refused for those that are held open. */
  #refuseLargest(): void {
    let largest: OpenBody | undefined;
    for (const body of this.#open) if (largest === undefined || body.bytes > largest.bytes) largest = body;
    if (largest === undefined) return;
    this.#close(largest);
    largest.refuse(
      new RequestError(429, "too many bytes of request bodies are being received: try again in a moment", {
        retryAfterSeconds: 1,
        closesConnection: true,
      }),
    );
  }

  #close(body: OpenBody): void {
    if (this.#open.delete(body)) this.#bytes -= body.bytes;
  }
}
