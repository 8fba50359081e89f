import { retryable } from "../../../errors/llm-error.ts";

/** Each message of an event stream begins with its length. */
const LENGTH_BYTES = 4;

/**
 * Passes the bytes of an event stream (application/vnd.amazon.eventstream) on, and calls `heard` at each. Throws RetryableError `provider_error` at a
 * message that says it is longer than `maxBytes`: the SDK allocates whatever length a message begins with.
 */
export async function* boundFrames(
  bytes: AsyncIterable<unknown>,
  maxBytes: number,
  heard: () => void,
): AsyncGenerator<Uint8Array> {
  /** Bytes of the current message that are still to come, after its length is known. */
  let left = 0;
  let length = Buffer.alloc(0);
  for await (const piece of bytes) {
    if (!(piece instanceof Uint8Array)) continue;
    heard();
    for (let at = 0; at < piece.length;) {
      if (left > 0) {
        const taken = Math.min(left, piece.length - at);
        left -= taken;
        at += taken;
        continue;
      }
      const taken = Math.min(LENGTH_BYTES - length.length, piece.length - at);
      length = Buffer.concat([length, piece.subarray(at, at + taken)]);
      at += taken;
      if (length.length < LENGTH_BYTES) continue;
      left = length.readUInt32BE() - LENGTH_BYTES;
      length = Buffer.alloc(0);
      if (left <= 0 || left > maxBytes) {
        throw retryable("provider_error", `the provider sent a message of ${left + LENGTH_BYTES} bytes`);
      }
    }
    yield piece;
  }
}
