import { isObject, parseJsonObject } from "../../../parse-json.ts";
import { encodeChatCallId } from "./encode-call-id.ts";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import { decodeLangchainState } from "../langchain-state.ts";

/**
 * The thoughts behind the tool calls of the running round, by each call's id: some servers (DeepSeek's, Moonshot's)
 * refuse a round without them, and none wants those of earlier rounds.
 */
export function reasoningByCall({ messages }: Conversation, model: string): ReadonlyMap<string, string> {
  const round = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const thoughts = new Map<string, string>();
  for (const { toolCalls, providerState } of round) {
    const state = decodeLangchainState(providerState, { form: "chat", model });
    for (const part of state?.parts ?? []) {
      const thought = "block" in part ? part.block["reasoning_content"] : undefined;
      if (typeof thought !== "string") continue;
      for (const { id } of toolCalls) thoughts.set(encodeChatCallId(id), thought);
    }
  }
  return thoughts;
}

/** Puts the thoughts into a request's body, for which LangChain's messages have no place. */
export function addReasoning(body: string, thoughts: ReadonlyMap<string, string>): string {
  const request = parseJsonObject(body);
  if (request === undefined || !Array.isArray(request["messages"])) return body;
  const messages = request["messages"].map((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message["tool_calls"])) return message;
    const first: unknown = message["tool_calls"][0];
    const thought =
      isObject(first) && typeof first["id"] === "string" ? thoughts.get(first["id"]) : undefined;
    return thought === undefined ? message : { ...message, reasoning_content: thought };
  });
  return JSON.stringify({ ...request, messages });
}
