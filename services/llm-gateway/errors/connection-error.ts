import type { RetryableError } from "#shared/errors.ts";
import { retryable } from "./llm-error.ts";
import { WAIT_ESTIMATE_MS } from "./wait-estimate.ts";

/** Codes of errors before a connection exists. A name may be missing from DNS only while its server restarts. */
const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** Codes, and messages of errors without one, of connections that the server closed. */
const BROKEN = /^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|other side closed|terminated|aborted)$/u;

/**
 * The error of a connection that could not be made or broke. `reason` is the error's code, or its message if it has
 * none. Waiting is a remedy unless the reason lies elsewhere, e.g. in a certificate.
 */
export function connectionError(reason: string, cause: Error): RetryableError {
  const estimateMs = WAIT_ESTIMATE_MS.unreachable;
  if (UNREACHABLE.has(reason)) {
    return retryable("provider_error", `the server cannot be reached (${reason})`, { cause, estimateMs });
  }
  return BROKEN.test(reason)
    ? retryable("provider_error", `the connection to the server broke (${reason})`, { cause, estimateMs })
    : retryable("provider_error", `the connection to the server failed (${reason})`, { cause });
}
