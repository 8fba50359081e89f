import type { Delivery } from "../destination.ts";
import { NoAnswerError, parseRetryAfter, type Outbound, type OutboundResponse } from "./outbound.ts";

const TIMEOUT_MS = 15_000;
/** Of a response, which is only shown to operators. */
const MAX_BYTES = 1_024;

const MAX_SHOWN = 200;
/** The request may be repeated, because a later one may be answered otherwise (RFC 9110, 6585, 8470). */
const PASSING = new Set([408, 425, 429]);

/** Sends news as JSON. Throws the signal's reason. */
export async function postNews(
  outbound: Outbound,
  {
    url,
    body,
    headers,
  }: { readonly url: URL; readonly body: string; readonly headers?: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Delivery> {
  const json = { "content-type": "application/json", "user-agent": "tarsy", ...headers };
  const request = {
    method: "POST",
    headers: json,
    body,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  } as const;
  return outbound.send(url, request, signal).then(outcomeOf, noAnswer);
}

/** It may have been received all the same. Throws everything that is no missing answer. */
export function noAnswer(error: unknown): Delivery {
  if (!(error instanceof NoAnswerError)) throw error;
  return { outcome: "failed", error: error.message, isUnsure: true };
}

/** What the answer to a request with news means. */
export function outcomeOf(response: OutboundResponse): Delivery {
  const { status, headers } = response;
  if (status >= 200 && status <= 299) return { outcome: "sent", receipt: { status } };
  const error = `status ${status}${shown(response.text)}`;
  if (status === 410) return { outcome: "gone", error };
  if (status >= 500 || PASSING.has(status)) {
    const retryAfterMs = parseRetryAfter(headers.get("retry-after"));
    // It answered, but may have stored the message before it failed.
    return {
      outcome: "failed",
      error,
      isUnsure: status >= 500,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
  }
  if (status >= 300 && status <= 399) {
    return {
      outcome: "refused",
      error: `status ${status}: redirects are not followed, name the last address`,
    };
  }
  return { outcome: "refused", error };
}

/** In one line, without controls. */
function shown(text: string): string {
  const line = text.replaceAll(/[\s\p{C}]+/gu, " ").trim();
  return line === "" ? "" : `: ${line.slice(0, MAX_SHOWN)}`;
}
