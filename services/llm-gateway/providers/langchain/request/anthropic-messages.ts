import type { ConversationMessage } from "#shared/generated/llm/v1/llm.ts";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import { toolAlias } from "#shared/contracts/tool-names.ts";
import { parseJsonObject } from "../../../parse-json.ts";
import { decodeLangchainState, type LangchainState } from "../langchain-state.ts";
import { encodeCallId } from "./encode-call-id.ts";

/** A block of a message in Anthropic's form. */
export interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface AnthropicMessagesOptions {
  readonly model: string;
  /** The request asks the model to think; otherwise its earlier thinking is omitted too. */
  readonly thinking: boolean;
}

interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: Block[];
}

/**
 * Converts a conversation to Anthropic's form: user and assistant messages alternate, tool results come first in a user
 * message, no text is blank, and thinking blocks with their signature come before the blocks that followed them.
 */
export function anthropicMessages(
  { messages }: Conversation,
  options: AnthropicMessagesOptions,
): AnthropicMessage[] {
  const sent: AnthropicMessage[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = blocksOf(message, options);
    if (content.length === 0) continue;
    const last = sent.at(-1);
    if (last?.role === role) last.content.push(...content);
    else sent.push({ role, content });
  }
  return sent;
}

/**
 * True if the request may ask the model to think. Anthropic refuses a tool result without the thinking before its call,
 * so a round of tool calls that was begun without thinking must be completed without it.
 */
export function mayThink({ messages }: Conversation, model: string): boolean {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  return messages
    .slice(lastUser + 1)
    .filter(({ role, toolCalls }) => role === "assistant" && toolCalls.length > 0)
    .every(({ providerState }) => stateOf(providerState, model)?.thinking === true);
}

function stateOf(data: Uint8Array | undefined, model: string): LangchainState | undefined {
  return decodeLangchainState(data, { form: "anthropic", model });
}

function blocksOf(message: ConversationMessage, options: AnthropicMessagesOptions): Block[] {
  switch (message.role) {
    case "tool":
      return [
        {
          type: "tool_result",
          tool_use_id: encodeCallId(message.toolCallId),
          content: message.content.trim() === "" ? "(no output)" : message.content,
        },
      ];
    case "assistant":
      return assistantBlocks(message, options);
    default:
      return textBlocks(message.content);
  }
}

/** Rebuilds the blocks that the model sent. Text that was changed since is sent as one block, after the thinking. */
function assistantBlocks(
  message: ConversationMessage,
  { model, thinking }: AnthropicMessagesOptions,
): Block[] {
  const layout = stateOf(message.providerState, model)?.parts ?? [];
  const calls = new Map(message.toolCalls.map((call) => [call.id, call]));
  const blocks: Block[] = [];
  const textLength = layout.reduce((sum, part) => sum + ("text" in part ? part.text : 0), 0);
  const isTextIntact = textLength === message.content.length;
  let rest = message.content;
  const flush = () => {
    blocks.push(...textBlocks(rest));
    rest = "";
  };
  for (const part of layout) {
    if ("block" in part) {
      const { type } = part.block;
      if (thinking && typeof type === "string") blocks.push({ ...part.block, type });
    } else if ("text" in part) {
      blocks.push(...textBlocks(isTextIntact ? rest.slice(0, part.text) : ""));
      if (isTextIntact) rest = rest.slice(part.text);
    } else {
      if (!isTextIntact) flush();
      const call = calls.get(part.call);
      if (call !== undefined) blocks.push(toolUse(call));
      calls.delete(part.call);
    }
  }
  flush();
  blocks.push(...[...calls.values()].map(toolUse));
  return blocks;
}

function toolUse(call: ConversationMessage["toolCalls"][number]): Block {
  return {
    type: "tool_use",
    id: encodeCallId(call.id),
    name: toolAlias(call.name),
    input: parseJsonObject(call.arguments) ?? {},
  };
}

/** Anthropic refuses blank text. */
function textBlocks(text: string): Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}
