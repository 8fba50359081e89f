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
import { parseJsonObject } from "../../../parse-json.ts";
import { encodeChatCallId } from "./encode-call-id.ts";

/** Converts a conversation for chat completions, OpenAI's or another server's. */
export function chatMessages({ system, messages }: Conversation): BaseMessage[] {
  return [...(system === undefined ? [] : [new SystemMessage(system)]), ...messages.map(messageOut)];
}

function messageOut(message: ConversationMessage): BaseMessage {
  switch (message.role) {
    case "user":
      return new HumanMessage(message.content);
    case "tool":
      return new ToolMessage({
        content: message.content,
        tool_call_id: encodeChatCallId(message.toolCallId),
      });
    default:
      return assistantOut(message);
  }
}

function assistantOut({ content, toolCalls }: ConversationMessage): AIMessage {
  const message = new AIMessage(content);
  if (toolCalls.length > 0) {
    // Not `tool_calls`: its arguments are parsed values, in which JavaScript rounds long numbers.
    message.additional_kwargs.tool_calls = toolCalls.map(({ id, name, arguments: json }) => ({
      id: encodeChatCallId(id),
      type: "function",
      function: { name: toolAlias(name), arguments: objectArguments(json) },
    }));
  }
  return message;
}

/** The arguments as the model wrote them, or `{}` if they are no JSON object, which some servers refuse. */
export function objectArguments(json: string): string {
  return parseJsonObject(json) === undefined ? "{}" : json;
}
