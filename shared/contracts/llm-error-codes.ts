/** Every code an ErrorInfo chunk can carry; `docs/providers.md` says when each is used. */
export const LLM_ERROR_CODES = [
  "credentials",
  "invalid_request",
  "invalid_backend",
  "unknown_provider",
  "changed_provider",
  "rate_limited",
  "overloaded",
  "timeout",
  "content_blocked",
  "context_too_long",
  "provider_error",
  "partial_stream_error",
  "output_loop",
  "max_retries",
  "internal",
] as const;

/** The provider has refused these before it worked on them, or was never asked. */
const UNCHARGED: ReadonlySet<string> = new Set([
  "credentials",
  "invalid_request",
  "invalid_backend",
  "unknown_provider",
  "changed_provider",
  "context_too_long",
  "message_too_large",
  "rate_limited",
  "overloaded",
]);

/** True if no provider charges for a call that failed with this code. */
export function isUncharged(code: string): boolean {
  return UNCHARGED.has(code);
}

/** Codes of the gateway's warnings about a call, where the executor or others act on them. */

/** Tools that the model does not get, because its provider would refuse the call: the agent works without them. */
export const TOOLS_LEFT_OUT = "tools_left_out";
/** Tools whose arguments the model knows in part only. */
export const TOOL_SCHEMAS_SHORTENED = "tool_schemas_shortened";
