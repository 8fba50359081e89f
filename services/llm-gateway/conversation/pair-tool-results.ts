import type { ConversationMessage } from "#shared/generated/llm/v1/llm.ts";

const NO_RESULT = "There is no result of this call.";

/**
 * Returns the conversation with exactly one result after each tool call, in the order of the calls; providers refuse
 * anything else. A missing result is replaced by a placeholder. A result without a call becomes a user message, so
 * its content is not lost.
 */
export function pairToolResults(messages: readonly ConversationMessage[]): ConversationMessage[] {
  const paired: ConversationMessage[] = [];
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.role === "tool") {
      paired.push(asUserMessage(message));
      continue;
    }
    paired.push(message);
    if (message.role !== "assistant" || message.toolCalls.length === 0) continue;
    const results = new Map<string, ConversationMessage>();
    const strays: ConversationMessage[] = [];
    for (let next = messages[index + 1]; next?.role === "tool"; next = messages[index + 1]) {
      const isKnown = message.toolCalls.some(({ id }) => id === next?.toolCallId);
      if (isKnown && !results.has(next.toolCallId)) results.set(next.toolCallId, next);
      else strays.push(asUserMessage(next));
      index += 1;
    }
    paired.push(
      ...message.toolCalls.map(({ id, name }) => results.get(id) ?? placeholder(message, id, name)),
      ...strays,
    );
  }
  return paired;
}

function placeholder(call: ConversationMessage, id: string, name: string): ConversationMessage {
  return {
    ...call,
    role: "tool",
    content: NO_RESULT,
    toolCalls: [],
    toolCallId: id,
    toolName: name,
  };
}

function asUserMessage(message: ConversationMessage): ConversationMessage {
  const content = `Result of ${message.toolName}:\n${message.content}`;
  return { ...message, role: "user", content, toolCallId: "", toolName: "" };
}
