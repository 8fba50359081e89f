import { MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { CallLlm } from "../core/agent-state.ts";
import type { AppendedMessage } from "../persist/conversation.ts";
import type { LlmReply } from "./llm-reply.ts";

/** Whether the structured calls of the step's reply are carried out. */
export function runsCalls({ style, interaction }: CallLlm): boolean {
  return style === "native" && interaction === "iteration";
}

/** The remark for model and reader about calls of a reply that are left out; null if none are. */
export function excessCalls({ toolCalls }: Pick<LlmReply, "toolCalls">): string | null {
  const asked = toolCalls.length;
  if (asked <= MAX_CALLS_PER_ANSWER) return null;
  return `Too many tool calls in one answer: of ${asked} calls only the first ${MAX_CALLS_PER_ANSWER} are carried out, the other ${asked - MAX_CALLS_PER_ANSWER} are not. Ask for what is still needed in further answers, each with at most ${MAX_CALLS_PER_ANSWER} calls.`;
}

/**
 * The messages of a reply. Only the calls that are carried out are stored, and of those that are left out the first one,
 * with its result, which speaks for all of them: so every stored call gets a result, as providers require, and the
 * conversation stays small whatever the model asks for.
 */
export function replyMessages(step: CallLlm, reply: LlmReply): AppendedMessage[] {
  const { text, thinking, toolCalls, providerState } = reply;
  const excess = runsCalls(step) ? excessCalls(reply) : null;
  const stored = excess === null ? MAX_CALLS_PER_ANSWER : MAX_CALLS_PER_ANSWER + 1;
  const calls = toolCalls.slice(0, stored).map(({ callId, name, arguments: json }) => ({
    id: postgresSafeText(callId).text,
    name: postgresSafeText(name).text,
    arguments: postgresSafeText(json).text,
  }));
  const message: AppendedMessage = {
    role: "assistant",
    // Thinking that counts as the answer is stored as the answer.
    content: text === "" && calls.length === 0 ? thinking : text,
    tool_calls: calls.length === 0 ? null : calls,
    provider_state: providerState === null ? null : Buffer.from(providerState),
  };
  const refused = calls[MAX_CALLS_PER_ANSWER];
  if (excess === null || refused === undefined) return [message];
  return [message, { role: "tool", content: excess, tool_call_id: refused.id, tool_name: refused.name }];
}
