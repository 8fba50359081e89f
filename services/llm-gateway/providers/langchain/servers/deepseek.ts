import { PROVIDER_URLS } from "../../provider-urls.ts";
import { isObject } from "#shared/exact-json.ts";
import type { JsonObject } from "#shared/json-object.ts";
import { adaptMessages, toolCallsOf } from "./adapt-messages.ts";
import type { ChatServer } from "./chat-server.ts";

/**
 * While it thinks, which is its default, DeepSeek refuses a conversation with a tool call without the reasoning before
 * it, in any round. Empty reasoning is accepted, for calls that were made without: by another model, for instance.
 */
export const DEEPSEEK: ChatServer = {
  url: PROVIDER_URLS.deepseek,
  reasoning: "all",
  adaptRequest: (request, plain) =>
    plain ? request : adaptMessages(request, (messages) => messages.map(withReasoning)),
  adaptChunk: (chunk) => {
    const choices: unknown[] = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    const isOverloaded = choices.some(
      (choice) => isObject(choice) && choice["finish_reason"] === "insufficient_system_resource",
    );
    return isOverloaded ? { error: { type: "overloaded", message: "insufficient system resources" } } : chunk;
  },
};

function withReasoning(message: JsonObject): JsonObject {
  return toolCallsOf(message).length === 0 ? message : { reasoning_content: "", ...message };
}
