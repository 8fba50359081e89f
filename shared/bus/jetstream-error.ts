import { NatsError } from "nats";

/** JetStream API error codes, from the server's own table. */
export const CONSUMER_NOT_FOUND = 10_014;
export const MESSAGE_NOT_FOUND = 10_037;
/** The stream takes no write; the description says why, as the file system does. */
export const STREAM_PURGE_FAILED = 10_051;
export const STREAM_NOT_FOUND = 10_059;
/** More than one replica on a server that belongs to no cluster. */
export const REPLICAS_NOT_SUPPORTED = 10_074;
export const STREAM_STORE_FAILED = 10_077;

interface JetStreamError {
  readonly code: number | undefined;
  readonly description: string;
}

/** The JetStream API error that a call was rejected with; undefined for any other error. */
export function jetStreamError(error: unknown): JetStreamError | undefined {
  if (!(error instanceof NatsError) || error.api_error === undefined) return undefined;
  return { code: error.api_error.err_code, description: error.api_error.description };
}
