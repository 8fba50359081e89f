import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import type { ConversationMessage } from "#shared/generated/llm/v1/llm.ts";
import { encodeToolName } from "../../../conversation/tool-names.ts";
import { parseJsonObject } from "../../../parse-json.ts";
import { encodeChatCallId } from "./encode-call-id.ts";
import type { Conversation } from "../../../conversation/normalise-conversation.ts";

/** A conversation for chat completions, as OpenAI and all who speak its API have them. */
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
    // Not `tool_calls`, which holds values: JavaScript would round the long numbers in them.
    message.additional_kwargs.tool_calls = toolCalls.map(({ id, name, arguments: json }) => ({
      id: encodeChatCallId(id),
      type: "function",
      function: { name: encodeToolName(name), arguments: objectArguments(json) },
    }));
  }
  return message;
}

/** Arguments as the model wrote them; servers that read them refuse what is no object. */
export function objectArguments(json: string): string {
  return parseJsonObject(json) === undefined ? "{}" : json;
}
