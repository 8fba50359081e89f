import { createHash } from "node:crypto";
import { RequestError } from "../http/request-error.ts";
import type { AlertRequest } from "./contract.ts";

/** How long a key is kept after the first submission with it. */
export const KEY_LIFETIME_HOURS = 24;

/** The idempotency key of a submission, by which a repetition is recognised. */
export interface SubmissionKey {
  /** SHA-256 in hex: a fixed length, and no collision between submitters or between headers and webhooks. */
  readonly key: string;
  /** SHA-256 in hex of the submitted request. */
  readonly requestHash: string;
  /** The error for a different request with the same key; undefined if a different request is accepted as a repetition. */
  readonly conflict: RequestError | undefined;
  /** How long the key is kept after each submission with it, in hours; absent for `KEY_LIFETIME_HOURS` after the first. */
  readonly keptHours?: number;
}

const VISIBLE_ASCII = /^[!-~]{1,255}$/u;

/** The key from the client's header; undefined without one. Throws RequestError 400 for an invalid header. */
export function submissionKey(
  header: string | string[] | undefined,
  {
    request,
    submitter,
  }: {
    readonly request: AlertRequest;
    /** Keys of different submitters do not meet. */
    readonly submitter: string;
  },
): SubmissionKey | undefined {
  return header === undefined ? undefined : clientKey(String(header), submitter, request);
}

/** Scoped to the submitter. */
function clientKey(header: string, submitter: string, request: AlertRequest): SubmissionKey {
  if (!VISIBLE_ASCII.test(header)) {
    throw new RequestError(
      400,
      "header Idempotency-Key must be 1 to 255 visible ASCII characters without a space, e.g. a UUID",
    );
  }
  return {
    key: sha256(["header", submitter, header]),
    requestHash: hashRequest(request),
    conflict: new RequestError(
      422,
      `Idempotency-Key '${header}' stands for another request: send that one unchanged, or this one with a key of its own`,
    ),
  };
}

/** Hashes the known fields only, so that white space, member order and unknown members do not matter. */
function hashRequest({
  data,
  alert_type,
  runbook,
  mcp,
  slack_message_fingerprint,
  priority,
}: AlertRequest): string {
  const { google_search, code_execution, url_context } = mcp?.native_tools ?? {};
  return sha256([
    data ?? "",
    alert_type ?? "",
    runbook ?? "",
    mcp?.servers.map(({ name, tools }) => [name, tools ?? null]) ?? null,
    [google_search ?? null, code_execution ?? null, url_context ?? null],
    slack_message_fingerprint ?? "",
    priority ?? "",
  ]);
}

function sha256(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
