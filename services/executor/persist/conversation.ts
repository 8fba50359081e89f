import { uuidFrom } from "#shared/uuid-from.ts";
import type { Message } from "#shared/database/tables/messages.ts";
import type { AgentMemory } from "../state/agent-memory.ts";
import type { ExecutionState } from "../state/session-state.ts";
import type { StepRecord } from "./step-record.ts";
import type { NewMessage } from "../state/step-rows.ts";

/** A message to append; its ids and sequence number follow from the conversation. */
export type AppendedMessage = Pick<Message, "role" | "content"> &
  Partial<Pick<Message, "tool_calls" | "tool_call_id" | "tool_name" | "provider_state">>;

/** An execution with its conversation as it was when the step began. */
interface ExecutionConversation {
  readonly execution: Pick<ExecutionState, "stage_id" | "execution_id">;
  readonly state: Pick<AgentMemory, "iteration"> & {
    readonly messages: readonly Pick<NewMessage, "sequence_number">[];
  };
}

/** The step that inserts an execution's first messages. */
export function openConversation(
  conversation: ExecutionConversation,
  messages: readonly Pick<Message, "role" | "content">[],
): StepRecord {
  return { rows: { messages: newMessages(conversation, messages) }, events: [] };
}

/** The step that appends a user message of ours, such as feedback; `concluding` also ends the iterations. */
export function appendUserMessage(
  conversation: ExecutionConversation,
  { content, concluding }: { readonly content: string; readonly concluding: boolean },
): StepRecord {
  const { execution, state } = conversation;
  const change = {
    execution_id: execution.execution_id,
    iteration_state: { ...state.iteration, phase: "concluding" as const },
  };
  return {
    rows: {
      messages: newMessages(conversation, [{ role: "user", content }]),
      ...(concluding ? { executionChanges: [change] } : {}),
    },
    events: [],
  };
}

/** The rows of messages at the end of a conversation. */
export function newMessages(
  {
    execution,
    state,
  }: Pick<ExecutionConversation, "execution"> & {
    readonly state: Pick<ExecutionConversation["state"], "messages">;
  },
  messages: readonly AppendedMessage[],
): NewMessage[] {
  const { stage_id, execution_id } = execution;
  const last = state.messages.at(-1)?.sequence_number ?? 0;
  return messages.map((message, index) => ({
    // Derived from the position, so that a repeated step names the same row.
    message_id: uuidFrom(`message:${last + index + 1}`, execution_id),
    stage_id,
    execution_id,
    sequence_number: last + index + 1,
    role: message.role,
    content: message.content,
    tool_calls: message.tool_calls ?? null,
    tool_call_id: message.tool_call_id ?? null,
    tool_name: message.tool_name ?? null,
    provider_state: message.provider_state?.toString("base64") ?? null,
  }));
}
