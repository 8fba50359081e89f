import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import { isObject, parseJsonObject } from "../../../parse-json.ts";
import { decodeLangchainState } from "../langchain-state.ts";
import { encodeChatCallId } from "./encode-call-id.ts";

/** The fields with reasoning to add to a message. */
type ReasoningFields = Readonly<Record<string, unknown>>;

interface ReasoningOptions {
  readonly model: string;
  /** `round` for the calls since the user's last message. */
  readonly which: "round" | "all";
}

/** Fields of a stored block that go back; the first that a message has. */
const FIELDS = ["reasoning_details", "reasoning_content"] as const;

/**
 * The reasoning before tool calls, by call id. Some servers refuse a round without it (Moonshot's), others a
 * conversation (DeepSeek's).
 */
export function reasoningByCall(
  { messages }: Conversation,
  { model, which }: ReasoningOptions,
): ReadonlyMap<string, ReasoningFields> {
  const first = which === "all" ? 0 : messages.findLastIndex(({ role }) => role === "user") + 1;
  const reasoning = new Map<string, ReasoningFields>();
  for (const { toolCalls, providerState } of messages.slice(first)) {
    const state = decodeLangchainState(providerState, { form: "chat", model });
    const blocks = (state?.parts ?? []).flatMap((part) => ("block" in part ? [part.block] : []));
    const field = FIELDS.find((name) => blocks.some((block) => name in block));
    if (field === undefined) continue;
    const value = blocks.find((block) => field in block)?.[field];
    for (const { id } of toolCalls) reasoning.set(encodeChatCallId(id), { [field]: value });
  }
  return reasoning;
}

/** Adds the reasoning to a request; LangChain's messages have no field for it. */
export function addReasoning(
  request: Readonly<Record<string, unknown>>,
  reasoning: ReadonlyMap<string, ReasoningFields>,
): Readonly<Record<string, unknown>> {
  if (!Array.isArray(request["messages"])) return request;
  const messages = request["messages"].map((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message["tool_calls"])) return message;
    const first: unknown = message["tool_calls"][0];
    const fields =
      isObject(first) && typeof first["id"] === "string" ? reasoning.get(first["id"]) : undefined;
    return fields === undefined ? message : { ...message, ...fields };
  });
  return { ...request, messages };
}

/** The body of a request with its JSON changed; the same body if it holds no JSON object. */
export function rewriteBody(
  body: string,
  change: (request: Readonly<Record<string, unknown>>) => object,
): string {
  const request = parseJsonObject(body);
  return request === undefined ? body : JSON.stringify(change(request));
}
