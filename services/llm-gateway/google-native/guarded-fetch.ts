import { eventLines } from "./event-lines.ts";

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface GuardedFetchOptions {
  /** The largest single event of a stream, or error body, in bytes: the SDK collects one without a limit. */
  readonly maxEventBytes: number;
  /** Gets the Retry-After of an unsuccessful response, in milliseconds. */
  readonly onRetryAfter: (ms: number) => void;
}

/**
 * fetch for one request to a provider: follows no redirect (the key travels in a header that would go along), reports
 * Retry-After and bounds what the SDK collects.
 */
export function guardedFetch({ maxEventBytes, onRetryAfter }: GuardedFetchOptions): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "error" });
    const wish = retryAfterMs(response.headers.get("retry-after"));
    if (!response.ok && wish !== undefined) onRetryAfter(wish);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(eventLines(maxEventBytes));
    return new Response(body, { status, statusText, headers });
  };
}

function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,6}$/u.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
