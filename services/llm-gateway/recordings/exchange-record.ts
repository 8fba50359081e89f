import { isUtf8 } from "node:buffer";
import type { ProviderRecording } from "./recording.ts";

/** The request of an exchange as it is sent. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Iterable<readonly [string, string]>;
  readonly body: string;
}

/** The recorded parts of an exchange, not yet redacted. */
export interface RecordedExchange {
  readonly request: RecordedRequest;
  readonly at: Date;
  readonly response:
    | {
        readonly at_ms: number;
        readonly status: number;
        readonly headers: Iterable<readonly [string, string]>;
        readonly pieces: readonly { readonly at_ms: number; readonly bytes: Uint8Array }[];
      }
    | undefined;
  readonly ended: ProviderRecording["ended"];
  readonly ended_at_ms: number;
  readonly error: string | undefined;
  readonly truncated: boolean;
}

/** Collects one exchange in memory, up to `maxBytes` of the response's body. Its methods never throw. */
export class ExchangeRecord {
  readonly #request: RecordedRequest;
  readonly #maxBytes: number;
  readonly #done: (exchange: RecordedExchange) => void;
  readonly #at = new Date();
  readonly #startedAt = performance.now();
  #response: { at_ms: number; status: number; headers: Iterable<readonly [string, string]> } | undefined;
  #pieces: { at_ms: number; bytes: Uint8Array }[] = [];
  #bytes = 0;
  #truncated = false;
  #isOver = false;

  constructor(request: RecordedRequest, maxBytes: number, done: (exchange: RecordedExchange) => void) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.#done = done;
  }

  /** Call it when the head of the response has arrived. */
  response(status: number, headers: Iterable<readonly [string, string]>): void {
    this.#response = { at_ms: this.#elapsed(), status, headers };
  }

  /** Call it with each piece of the body as it arrives; the bytes are copied. */
  piece(bytes: Uint8Array): void {
    if (this.#isOver || bytes.length === 0) return;
    const kept = bytes.subarray(0, this.#maxBytes - this.#bytes);
    this.#truncated ||= kept.length < bytes.length;
    this.#bytes += kept.length;
    if (kept.length > 0) this.#pieces.push({ at_ms: this.#elapsed(), bytes: Uint8Array.from(kept) });
  }

  /** Call it at the end; only the first call counts. */
  end(ended: ProviderRecording["ended"], error?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const body = this.#request.body.slice(0, this.#maxBytes);
    this.#done({
      request: { ...this.#request, body },
      at: this.#at,
      response: this.#response && { ...this.#response, pieces: this.#pieces },
      ended,
      ended_at_ms: this.#elapsed(),
      error,
      truncated: this.#truncated || body.length < this.#request.body.length,
    });
  }

  #elapsed(): number {
    return Math.round((performance.now() - this.#startedAt) * 10) / 10;
  }
}

/** Bytes as text if they are UTF-8, else in base64. */
export function encodePiece(bytes: Uint8Array): { text: string } | { base64: string } {
  return isUtf8(bytes)
    ? { text: Buffer.from(bytes).toString("utf8") }
    : { base64: Buffer.from(bytes).toString("base64") };
}
