import type { Endpoint } from "../http/endpoint.ts";

/** What each status of an error means. */
export const ERROR_STATUSES: Readonly<Record<number, string>> = {
  400: "a parameter or the body is invalid: the message names the field, the problem and what is allowed",
  401: "no credential, or one that is unknown, expired or revoked",
  403: "the request comes from a page of another site, or the caller's role does not suffice",
  404: "it does not exist, or the caller may not see it",
  408: "the request arrives too slowly",
  409: "its state does not allow it",
  410: "the events of the session were deleted long after its end",
  413: "the body is too large",
  415: "an unknown content encoding or charset, or no text",
  421: "the host is not one under which the api is reached",
  422: "the idempotency key was used for another request",
  429: "a limit of the caller or of the process is reached; with Retry-After",
  431: "the headers are too large",
  500: "a defect of the api",
  503: "a dependency does not answer, or a limit of the process is reached; with Retry-After",
};

const OF_EVERY_ROUTE = [400, 403, 408, 421, 429, 431, 500, 503];

/** The statuses of errors that a route can answer with. */
export function errorStatusesOf({ action, params, body, responses, errors }: Endpoint): readonly number[] {
  const statuses = new Set([
    ...OF_EVERY_ROUTE,
    ...(action === undefined ? [] : [401]),
    ...(params === undefined ? [] : [404]),
    ...(body === undefined ? [] : [413, 415]),
    ...(errors ?? []),
  ]);
  return [...statuses].filter((status) => responses[status] === undefined).sort((a, b) => a - b);
}
