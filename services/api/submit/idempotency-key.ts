import { createHash } from "node:crypto";
import type { AlertRequest } from "./alert-request.ts";
import { RequestError } from "../http/request-error.ts";

/** Identifies a repeated submission. */
export interface IdempotencyKey {
  /** SHA-256 in hex: a fixed length, and no collision between authors or between headers and fingerprints. */
  readonly key: string;
  /** SHA-256 in hex of the submitted request. */
  readonly requestHash: string;
  /** The error for a different request with the same key; undefined if a different request is accepted as a repetition. */
  readonly conflict: RequestError | undefined;
}

const VISIBLE_ASCII = /^[!-~]{1,255}$/u;

/** The key from the client's header, scoped to the author. Throws RequestError 400 for an invalid header. */
export function clientKey(header: string, author: string, request: AlertRequest): IdempotencyKey {
  if (!VISIBLE_ASCII.test(header)) {
    throw new RequestError(
      400,
      "header Idempotency-Key must be 1 to 255 visible ASCII characters without a space, e.g. a UUID",
    );
  }
  return {
    key: sha256(["header", author, header]),
    requestHash: hashRequest(request),
    conflict: new RequestError(
      422,
      `Idempotency-Key '${header}' stands for another request: send that one unchanged, or this one with a key of its own`,
    ),
  };
}

/** The key from the alert's fingerprint, scoped to author and alert type. Other changes to the alert do not matter. */
export function fingerprintKey(
  fingerprint: readonly string[],
  alertType: string,
  author: string,
  request: AlertRequest,
): IdempotencyKey {
  return {
    key: sha256(["fingerprint", author, alertType, ...fingerprint]),
    requestHash: hashRequest(request),
    conflict: undefined,
  };
}

/** Hashes the known fields only, so that white space, member order and unknown members do not matter. */
function hashRequest({ data, alert_type, runbook, mcp }: AlertRequest): string {
  const { google_search, code_execution, url_context } = mcp?.native_tools ?? {};
  return sha256([
    data ?? "",
    alert_type ?? "",
    runbook ?? "",
    mcp?.servers.map(({ name, tools }) => [name, tools ?? null]) ?? null,
    [google_search ?? null, code_execution ?? null, url_context ?? null],
  ]);
}

function sha256(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
