import { coerceError, errorMessage } from "#shared/errors.ts";
import { McpFailure, type SentState } from "../mcp-failure.ts";

/** Errors from before the first byte of a request: no connection, or no TLS. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);
/** Statuses by which a server refuses a request before it looks at the call. */
const REFUSED = new Set([401, 403, 404, 405, 406, 413, 415, 421, 429, 431]);

/** The failure of a request without response. */
export function connectionFailure(thrown: unknown): McpFailure {
  const codes = errorCodes(thrown);
  const code = codes.find((candidate) => NOT_CONNECTED.has(candidate));
  if (code !== undefined) {
    return new McpFailure("unreachable", "no", `no connection: ${code}`, { cause: thrown });
  }
  return new McpFailure(
    "closed",
    "maybe",
    `the connection ended without an answer: ${codes[0] ?? errorMessage(thrown)}`,
    {
      cause: thrown,
    },
  );
}

/** The failure of a request with a response other than success; undefined for success. */
export function statusFailure(
  { status, headers }: Pick<Response, "status" | "headers">,
  hasSession: boolean,
): McpFailure | undefined {
  if (status < 300) return undefined;
  const sent: SentState = status < 400 || REFUSED.has(status) ? "no" : "maybe";
  const target = status < 400 ? headers.get("location") : null;
  const redirect = target === null ? "" : `: it redirects to ${target}, which must be its url if it is right`;
  const text = `the server answered with HTTP status ${status}${redirect}`;
  const retryAfterMs = retryAfter(headers.get("retry-after"));
  const details = { code: status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (status === 404 && hasSession) return new McpFailure("session_gone", "no", text, details);
  if (status === 429) return new McpFailure("rate_limited", "no", text, details);
  if (status === 401 || status === 403) return new McpFailure("unauthorized", "no", text, details);
  return new McpFailure("http_status", sent, text, details);
}

/** Milliseconds of a Retry-After header, in seconds or as a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/u.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** The codes of an error and of what caused it, the innermost last; those of several attempts to connect included. */
function errorCodes(thrown: unknown): string[] {
  const codes: string[] = [];
  const visit = (error: unknown, depth: number) => {
    if (!(error instanceof Error) || depth > 5) return;
    if ("code" in error && typeof error.code === "string") codes.push(error.code);
    if (error instanceof AggregateError) for (const inner of error.errors) visit(inner, depth + 1);
    visit(error.cause, depth + 1);
  };
  visit(coerceError(thrown), 0);
  return codes;
}
