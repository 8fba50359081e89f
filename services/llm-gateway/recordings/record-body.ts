import { coerceError } from "#shared/errors.ts";
import type { ExchangeRecord } from "./exchange-record.ts";

/** A body that passes the same bytes on and records them as they are read, and how they end. */
export function recordBody(
  body: AsyncIterable<Uint8Array>,
  record: ExchangeRecord,
  signal: AbortSignal | null,
): ReadableStream<Uint8Array> {
  return ReadableStream.from(recordPieces(body, record, signal));
}

async function* recordPieces(
  body: AsyncIterable<Uint8Array>,
  record: ExchangeRecord,
  signal: AbortSignal | null,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of body) {
      record.piece(bytes);
      yield bytes;
    }
    record.end("complete");
  } catch (error) {
    record.end(signal?.aborted === true ? "left" : "cut", errorCode(error));
    throw error;
  } finally {
    record.end("left");
  }
}

/** The code of an error or of its innermost cause, else its message. */
export function errorCode(thrown: unknown): string {
  let error = coerceError(thrown);
  while (error.cause instanceof Error) error = error.cause;
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
