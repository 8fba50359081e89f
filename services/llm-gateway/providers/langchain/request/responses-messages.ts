import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import type { ConversationMessage } from "#shared/generated/llm/v1/llm.ts";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import { toolAlias } from "#shared/contracts/tool-names.ts";
import { decodeLangchainState, type LangchainStatePart } from "../langchain-state.ts";
import { objectArguments } from "./chat-messages.ts";
import { encodeCallId } from "./encode-call-id.ts";

interface ResponsesMessagesOptions {
  readonly model: string;
  /** False to omit the model's reasoning, after the provider has refused it. */
  readonly replay: boolean;
}

/** Converts a conversation for OpenAI's Responses API; encrypted reasoning goes back at its original position. */
export function responsesMessages(
  { system, messages }: Conversation,
  options: ResponsesMessagesOptions,
): BaseMessage[] {
  return [
    ...(system === undefined ? [] : [new SystemMessage(system)]),
    ...messages.map((message) => messageOut(message, options)),
  ];
}

function messageOut(message: ConversationMessage, options: ResponsesMessagesOptions): BaseMessage {
  switch (message.role) {
    case "user":
      return new HumanMessage(message.content);
    case "tool":
      return new ToolMessage({ content: message.content, tool_call_id: encodeCallId(message.toolCallId) });
    default:
      // LangChain sends `response_metadata.output` unchanged.
      return new AIMessage({ content: "", response_metadata: { output: outputItems(message, options) } });
  }
}

function outputItems(message: ConversationMessage, { model, replay }: ResponsesMessagesOptions): object[] {
  const state = replay
    ? decodeLangchainState(message.providerState, { form: "responses", model })
    : undefined;
  const items: object[] = [];
  const calls = new Map(message.toolCalls.map((call) => [call.id, call]));
  const addCall = (id: string) => {
    const call = calls.get(id);
    if (call === undefined) return false;
    calls.delete(id);
    items.push({
      type: "function_call",
      call_id: encodeCallId(id),
      name: toolAlias(call.name),
      arguments: objectArguments(call.arguments),
    });
    return true;
  };
  for (const item of intactLayout(state?.parts ?? [], message)) {
    if ("block" in item) items.push(item.block);
    else if ("call" in item) addCall(item.call);
    else items.push(textItem(item.text, item.phase));
  }
  if (items.length === 0 && message.content !== "") items.push(textItem(message.content, undefined));
  for (const id of calls.keys()) addCall(id);
  return items;
}

type LayoutItem =
  | { text: string; phase?: string | undefined }
  | Extract<LangchainStatePart, { block: unknown } | { call: string }>;

/**
 * The stored layout with its text; empty if the message was changed since. OpenAI refuses reasoning without the item
 * that followed it, and such an item without its reasoning.
 */
function intactLayout(
  parts: readonly LangchainStatePart[],
  { content, toolCalls }: ConversationMessage,
): LayoutItem[] {
  const textLength = parts.reduce((sum, part) => sum + ("text" in part ? part.text : 0), 0);
  const ids = parts.flatMap((part) => ("call" in part ? [part.call] : []));
  const last = parts.at(-1);
  const isIntact =
    textLength === content.length &&
    ids.length === toolCalls.length &&
    ids.every((id) => toolCalls.some((call) => call.id === id)) &&
    last !== undefined &&
    !("block" in last);
  if (!isIntact) return [];
  let offset = 0;
  return parts.map((part) => {
    if (!("text" in part)) return part;
    const text = content.slice(offset, offset + part.text);
    offset += part.text;
    return { text, phase: part.phase };
  });
}

function textItem(text: string, phase: string | undefined): object {
  return {
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
    ...(phase === undefined ? {} : { phase }),
  };
}
