import { RequestError } from "./request-error.ts";

interface CountedBody {
  bytes: number;
  readonly refuse: (error: RequestError) => void;
}

/** What a chunk takes beside its content: a client may send each byte in a chunk of its own. */
const CHUNK_OVERHEAD_BYTES = 512;
/** An alert of ordinary size is never refused: what many of these take is bounded by the number of connections. */
const ALWAYS_TAKEN_BYTES = 16 * 1024;

/**
 * The bytes of all request bodies, from their first byte to the end of the response: a client that sends a body without an
 * end, or many large ones at once, must not take the memory.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  /** Bodies that are being received, oldest first. */
  readonly #receiving = new Set<CountedBody>();
  readonly #countsUntil: "sent" | "read";
  #bytes = 0;

  /** `read`: of a body whose answer is a stream without an end, nothing is kept. */
  constructor(maxBytes: number, { countsUntil = "sent" }: { readonly countsUntil?: "sent" | "read" } = {}) {
    this.#maxBytes = maxBytes;
    this.#countsUntil = countsUntil;
  }

  /**
   * Starts to count a body, of which `add` reports each chunk as it arrives. `refuse` may be called once, until `received`; the
   * bytes are free again after `close`.
   */
  open(refuse: (error: RequestError) => void): {
    readonly add: (bytes: number) => void;
    readonly received: () => void;
    readonly close: () => void;
  } {
    const body: CountedBody = { bytes: 0, refuse };
    this.#receiving.add(body);
    return {
      add: (bytes) => {
        if (!this.#receiving.has(body)) return;
        const taken = bytes + CHUNK_OVERHEAD_BYTES;
        body.bytes += taken;
        this.#bytes += taken;
        this.#makeRoom();
      },
      received: () => (this.#countsUntil === "read" ? this.#close(body) : void this.#receiving.delete(body)),
      close: () => this.#close(body),
    };
  }

  /** Refuses the largest of those that are being received, of equal ones the oldest, until the others have room. */
  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes) {
      let largest: CountedBody | undefined;
      for (const body of this.#receiving) {
        if (largest === undefined || body.bytes > largest.bytes) largest = body;
      }
      if (largest === undefined || largest.bytes <= ALWAYS_TAKEN_BYTES) return;
      this.#close(largest);
      largest.refuse(
        new RequestError(429, "too many bytes of request bodies are being received: try again in a moment", {
          retryAfterSeconds: 1,
          closesConnection: true,
        }),
      );
    }
  }

  #close(body: CountedBody): void {
    this.#receiving.delete(body);
    this.#bytes -= body.bytes;
    body.bytes = 0;
  }
}
