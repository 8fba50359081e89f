import type { ContentBlock, Message } from "@aws-sdk/client-bedrock-runtime";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";
import { isExactNumber, isObject } from "#shared/exact-json.ts";
import {
  anthropicMessages,
  type AnthropicMessagesOptions,
  type Block,
} from "../request/anthropic-messages.ts";

/** The messages of a conversation in the form of Converse, which follows the same rules as Anthropic's. */
export function bedrockMessages(conversation: Conversation, options: AnthropicMessagesOptions): Message[] {
  return anthropicMessages(conversation, options).map(({ role, content }) => ({
    role,
    content: content.map(toContent).filter((block) => block !== undefined),
  }));
}

function toContent(block: Block): ContentBlock | undefined {
  switch (block.type) {
    case "text":
      return { text: textOf(block["text"]) };
    case "tool_use":
      return {
        toolUse: {
          toolUseId: textOf(block["id"]),
          name: textOf(block["name"]),
          input: documentOf(block["input"]),
        },
      };
    case "tool_result":
      return {
        toolResult: {
          toolUseId: textOf(block["tool_use_id"]),
          content: [{ text: textOf(block["content"]) }],
        },
      };
    case "thinking":
      return {
        reasoningContent: {
          reasoningText: { text: textOf(block["thinking"]), signature: textOf(block["signature"]) },
        },
      };
    case "redacted_thinking":
      return { reasoningContent: { redactedContent: Buffer.from(textOf(block["data"]), "base64") } };
    default:
      return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

type Document = null | boolean | number | string | Document[] | { [key: string]: Document };

/** A JSON value as the SDK types it; a number that a double would round in the form that the SDK writes with all digits. */
export function documentOf(value: unknown): Document {
  if (isExactNumber(value)) return { type: "bigDecimal", string: value.rawJSON };
  if (Array.isArray(value)) return value.map(documentOf);
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, documentOf(inner)]));
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}
