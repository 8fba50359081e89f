import { isObject } from "../../../parse-json.ts";
import type { Fields } from "./chat-server.ts";

/** A copy of a request with its messages replaced by what `adapt` returns. */
export function adaptMessages(request: Fields, adapt: (messages: readonly Fields[]) => Fields[]): Fields {
  const messages: unknown[] = Array.isArray(request["messages"]) ? request["messages"] : [];
  return { ...request, messages: adapt(messages.filter(isObject)) };
}

/** The tool calls of a message. */
export function toolCallsOf(message: Fields): Fields[] {
  const calls: unknown[] = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
  return calls.filter(isObject);
}
