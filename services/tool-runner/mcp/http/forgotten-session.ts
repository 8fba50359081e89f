/** How servers made with the official libraries refuse a session that they do not know. */
const REFUSALS = new Set([
  "Bad Request: No valid session ID provided",
  "Bad Request: No valid session ID",
  "Bad Request: Server not initialized",
]);
/** The id that the libraries give to such an error, because the request was not read. */
const NO_ID = new Set<unknown>([undefined, null, "", "server-error"]);

/**
 * Whether the body of a response with status 400 to a request with a session is one by which the official libraries say
 * that the server does not know the session; they should answer with 404. Other words prove nothing: a tool that has run
 * may report a session of its own.
 */
export function isForgottenSession(body: string): boolean {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return REFUSALS.has(body.trim());
  }
  if (typeof parsed !== "object" || parsed === null || !("error" in parsed)) return false;
  const { error } = parsed;
  const hasId = "id" in parsed && !NO_ID.has(parsed.id);
  if (hasId || typeof error !== "object" || error === null || !("message" in error)) return false;
  return typeof error.message === "string" && REFUSALS.has(error.message);
}
