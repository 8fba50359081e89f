import { createHash } from "node:crypto";
import type { AlertRequest } from "./alert-request.ts";
import { RequestError } from "../http/request-error.ts";

/** By what a repeated submission is recognised. */
export interface SubmissionKey {
  /** SHA-256 in hex, so that keys of any origin are equally long and nobody's key is another's. */
  readonly key: string;
  /** SHA-256 in hex of the request that the key stands for. */
  readonly requestHash: string;
  /** What another request under the same key is answered with; undefined where the key alone says that it is the same. */
  readonly conflict: RequestError | undefined;
}

const VISIBLE_ASCII = /^[!-~]{1,255}$/u;

/** The client's own key of a submission, counted per author. Throws RequestError 400 unless it can be one. */
export function clientKey(header: string, author: string, request: AlertRequest): SubmissionKey {
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

/** The key of an alert that brings its own identity: whatever else of it changed, it is the same alert. */
export function fingerprintKey(
  fingerprint: readonly string[],
  alertType: string,
  author: string,
  request: AlertRequest,
): SubmissionKey {
  return {
    key: sha256(["fingerprint", author, alertType, ...fingerprint]),
    requestHash: hashRequest(request),
    conflict: undefined,
  };
}

/** Over what decides the session, as it was asked for: not over bytes, white space, unknown members or their order. */
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
