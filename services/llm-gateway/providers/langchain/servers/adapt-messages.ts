import { isObject } from "#shared/exact-json.ts";
import type { JsonObject } from "#shared/json-object.ts";

/** A copy of a request with its messages replaced by what `adapt` returns. */
export function adaptMessages(
  request: JsonObject,
  adapt: (messages: readonly JsonObject[]) => JsonObject[],
): JsonObject {
  const messages: unknown[] = Array.isArray(request["messages"]) ? request["messages"] : [];
  return { ...request, messages: adapt(messages.filter(isObject)) };
}

/** The tool calls of a message. */
export function toolCallsOf(message: JsonObject): JsonObject[] {
  const calls: unknown[] = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
  return calls.filter(isObject);
}
