import { createHash } from "node:crypto";
import { isObject } from "#shared/exact-json.ts";
import type { JsonObject } from "#shared/json-object.ts";
import { PROVIDER_URLS } from "../../provider-urls.ts";
import { adaptMessages, toolCallsOf } from "./adapt-messages.ts";
import type { ChatServer } from "./chat-server.ts";

/** Mistral refuses a user's message directly after a tool's. */
const BETWEEN: JsonObject = { role: "assistant", content: "OK." };

/**
 * Mistral accepts no field that it does not know, and ids of tool calls only with nine letters or digits. It returns
 * thoughts as parts of the content and does not need them back.
 */
export const MISTRAL: ChatServer = {
  url: PROVIDER_URLS.mistral,
  reasoning: "none",
  refusesStreamOptions: true,
  adaptRequest: (request) => {
    const { max_completion_tokens: limit, ...rest } = adaptMessages(request, mistralMessages);
    return limit === undefined ? rest : { ...rest, max_tokens: limit };
  },
};

function mistralMessages(messages: readonly JsonObject[]): JsonObject[] {
  const names = new Map<unknown, unknown>();
  return messages.flatMap((message, index) => {
    for (const { id, function: called } of toolCallsOf(message)) {
      names.set(id, isObject(called) ? called["name"] : undefined);
    }
    const isAfterTool = message["role"] === "user" && messages[index - 1]?.["role"] === "tool";
    return [...(isAfterTool ? [BETWEEN] : []), mistralMessage(message, names)];
  });
}

function mistralMessage(message: JsonObject, names: ReadonlyMap<unknown, unknown>): JsonObject {
  const { role, content } = message;
  if (role === "tool") {
    const { tool_call_id: id } = message;
    return { role, content, tool_call_id: mistralCallId(id), name: names.get(id) };
  }
  const calls = toolCallsOf(message);
  if (calls.length === 0) return { role, content };
  return { role, content, tool_calls: calls.map((call) => ({ ...call, id: mistralCallId(call["id"]) })) };
}

/** The same for the same id, in the call and in its result. */
function mistralCallId(id: unknown): string {
  const text = String(id);
  if (/^[A-Za-z\d]{9}$/u.test(text)) return text;
  return createHash("sha256")
    .update(text)
    .digest("base64")
    .replaceAll(/[^A-Za-z\d]/gu, "")
    .slice(0, 9);
}
