import type { ConversationMessage } from "#shared/generated/llm/v1/llm.ts";

const NO_RESULT = "There is no result of this call.";

/**
 * The conversation with exactly one result behind each tool call, in the calls' order, because providers refuse any
 * other: a missing result is made up, and one without a call becomes a user message, so that nothing gets lost.
 */
export function pairToolResults(messages: readonly ConversationMessage[]): ConversationMessage[] {
  const answered: ConversationMessage[] = [];
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.role === "tool") {
      answered.push(strayResult(message));
      continue;
    }
    answered.push(message);
    if (message.role !== "assistant" || message.toolCalls.length === 0) continue;
    const results = new Map<string, ConversationMessage>();
    const strays: ConversationMessage[] = [];
    for (let next = messages[index + 1]; next?.role === "tool"; next = messages[index + 1]) {
      const isKnown = message.toolCalls.some(({ id }) => id === next?.toolCallId);
      if (isKnown && !results.has(next.toolCallId)) results.set(next.toolCallId, next);
      else strays.push(strayResult(next));
      index += 1;
    }
    answered.push(
      ...message.toolCalls.map(({ id, name }) => results.get(id) ?? result(message, id, name)),
      ...strays,
    );
  }
  return answered;
}

function result(call: ConversationMessage, id: string, name: string): ConversationMessage {
  return {
    ...call,
    role: "tool",
    content: NO_RESULT,
    toolCalls: [],
    toolCallId: id,
    toolName: name,
    providerState: Buffer.alloc(0),
  };
}

function strayResult(message: ConversationMessage): ConversationMessage {
  const content = `Result of ${message.toolName}:\n${message.content}`;
  return { ...message, role: "user", content, toolCallId: "", toolName: "" };
}
