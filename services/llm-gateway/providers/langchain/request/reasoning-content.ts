import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import type { JsonObject } from "#shared/json-object.ts";
import { isObject } from "#shared/exact-json.ts";
import { parseJsonObject } from "../../../parse-json.ts";
import { decodeLangchainState } from "../langchain-state.ts";
import { encodeChatCallId } from "./encode-call-id.ts";

/** What goes back with the tool calls of a conversation, by the ids of the calls in the request. */
interface KeptFields {
  /** The reasoning before a call, as fields of its message. */
  readonly ofMessage: ReadonlyMap<string, JsonObject>;
  /** Members beside the standard of the call itself. */
  readonly ofCall: ReadonlyMap<string, JsonObject>;
}
interface ReasoningOptions {
  readonly model: string;
  /** Which reasoning goes back: `round` for that of the calls since the user's last message. */
  readonly which: "round" | "all";
}

/** JsonObject of a stored block that go back; the first that a message has. */
const FIELDS = ["reasoning_details", "reasoning_content"] as const;

/**
 * The reasoning before tool calls, and members of the calls such as Gemini's signatures. Some servers refuse a round without it
 * (Moonshot's, Gemini's), others a conversation (DeepSeek's).
 */
export function keptFields({ messages }: Conversation, { model, which }: ReasoningOptions): KeptFields {
  const first = which === "all" ? 0 : messages.findLastIndex(({ role }) => role === "user") + 1;
  const kept = { ofMessage: new Map<string, JsonObject>(), ofCall: new Map<string, JsonObject>() };
  for (const [index, { toolCalls, providerState }] of messages.entries()) {
    const state = decodeLangchainState(providerState, { form: "chat", model });
    const blocks = (state?.parts ?? []).flatMap((part) => ("block" in part ? [part.block] : []));
    const field = FIELDS.find((name) => blocks.some((block) => name in block));
    const value = blocks.find((block) => field !== undefined && field in block)?.[field ?? ""];
    const fields = blocks.map(({ call_fields: ofCalls }) => ofCalls).find(isObject) ?? {};
    for (const { id } of toolCalls) {
      if (field !== undefined && index >= first) kept.ofMessage.set(encodeChatCallId(id), { [field]: value });
      const own = fields[id];
      if (isObject(own)) kept.ofCall.set(encodeChatCallId(id), own);
    }
  }
  return kept;
}

/** Adds these fields to a request; LangChain's messages have no place for them. */
export function addKeptFields(request: JsonObject, { ofMessage, ofCall }: KeptFields): JsonObject {
  if (!Array.isArray(request["messages"])) return request;
  const messages = request["messages"].map((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message["tool_calls"])) return message;
    const all: unknown[] = message["tool_calls"];
    const calls = all.filter(isObject);
    const before = calls.map((call) => fieldsOf(ofMessage, call)).find((fields) => fields !== undefined);
    return {
      ...message,
      tool_calls: calls.map((call) => ({ ...call, ...fieldsOf(ofCall, call) })),
      ...before,
    };
  });
  return { ...request, messages };
}

function fieldsOf(fields: ReadonlyMap<string, JsonObject>, { id }: JsonObject): JsonObject | undefined {
  return typeof id === "string" ? fields.get(id) : undefined;
}

/** The body of a request with its JSON changed; the same body if it holds no JSON object. */
export function rewriteBody(
  body: string,
  change: (request: Readonly<Record<string, unknown>>) => object,
): string {
  const request = parseJsonObject(body);
  return request === undefined ? body : JSON.stringify(change(request));
}
