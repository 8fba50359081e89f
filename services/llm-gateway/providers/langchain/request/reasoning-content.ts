import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import { isObject, parseJsonObject } from "../../../parse-json.ts";
import { decodeLangchainState } from "../langchain-state.ts";
import { encodeChatCallId } from "./encode-call-id.ts";

/**
 * The reasoning before the tool calls of the current round, by call id. Some servers (DeepSeek's, Moonshot's) refuse a
 * round without it; none needs that of earlier rounds.
 */
export function reasoningByCall({ messages }: Conversation, model: string): ReadonlyMap<string, string> {
  const round = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const reasoning = new Map<string, string>();
  for (const { toolCalls, providerState } of round) {
    const state = decodeLangchainState(providerState, { form: "chat", model });
    for (const part of state?.parts ?? []) {
      const text = "block" in part ? part.block["reasoning_content"] : undefined;
      if (typeof text !== "string") continue;
      for (const { id } of toolCalls) reasoning.set(encodeChatCallId(id), text);
    }
  }
  return reasoning;
}

/** Adds the reasoning to the body of a request; LangChain's messages have no field for it. */
export function addReasoning(body: string, reasoning: ReadonlyMap<string, string>): string {
  const request = parseJsonObject(body);
  if (request === undefined || !Array.isArray(request["messages"])) return body;
  const messages = request["messages"].map((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message["tool_calls"])) return message;
    const first: unknown = message["tool_calls"][0];
    const text = isObject(first) && typeof first["id"] === "string" ? reasoning.get(first["id"]) : undefined;
    return text === undefined ? message : { ...message, reasoning_content: text };
  });
  return JSON.stringify({ ...request, messages });
}
