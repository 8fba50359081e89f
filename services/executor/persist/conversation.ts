import { v5 as uuidFrom } from "uuid";
import type { EntityManager } from "typeorm";
import { AgentExecutionEntity, type IterationState } from "#shared/database/entities/agent-execution.ts";
import { MessageEntity, type Message } from "#shared/database/entities/message.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { commitStep } from "./commit-step.ts";
import type { ExecutionState } from "./load-session.ts";
import type { SessionWriter } from "./session-writer.ts";

/** A message to append; its ids and sequence number follow from the conversation. */
export type AppendedMessage = Pick<Message, "role" | "content"> &
  Partial<Pick<Message, "tool_calls" | "tool_call_id" | "tool_name" | "provider_state">>;

/** An execution with its conversation as it was when the step began. */
export interface ExecutionConversation {
  readonly session: SessionWriter;
  readonly execution: ExecutionState;
  readonly state: {
    readonly messages: readonly Pick<Message, "sequence_number">[];
    readonly iteration: IterationState;
  };
}

/** Commits an execution's first messages. */
export async function openConversation(
  { session, execution }: ExecutionConversation,
  messages: readonly Pick<Message, "role" | "content">[],
): Promise<void> {
  const { execution_id, stage_id } = execution;
  await commitStep(session, async (manager) => {
    await manager.insert(
      MessageEntity,
      messages.map(({ role, content }, index) => ({
        message_id: messageId(execution_id, index + 1),
        session_id: session.sessionId,
        stage_id,
        execution_id,
        role,
        content,
        sequence_number: index + 1,
      })),
    );
    return { events: [] };
  });
}

/** Commits a user message of ours, such as feedback; `concluding` also ends the iterations. */
export async function appendUserMessage(
  conversation: ExecutionConversation,
  { content, concluding }: { readonly content: string; readonly concluding: boolean },
): Promise<void> {
  const { session, execution, state } = conversation;
  await commitStep(session, async (manager) => {
    await appendMessage(manager, conversation, { role: "user", content });
    if (concluding) {
      await manager.update(
        AgentExecutionEntity,
        { execution_id: execution.execution_id },
        { iteration_state: { ...state.iteration, phase: "concluding" } },
      );
    }
    return { events: [] };
  });
}

/** Within a step's transaction: appends one message. */
export async function appendMessage(
  manager: EntityManager,
  { execution, state }: Pick<ExecutionConversation, "execution" | "state">,
  message: AppendedMessage,
): Promise<void> {
  const { session_id, stage_id, execution_id } = execution;
  const sequence_number = (state.messages.at(-1)?.sequence_number ?? 0) + 1;
  await manager.insert(MessageEntity, {
    ...message,
    content: postgresSafeText(message.content).text,
    message_id: messageId(execution_id, sequence_number),
    session_id,
    stage_id,
    execution_id,
    sequence_number,
  });
}

/** Derived from the position, so that a repeated step names the same row. */
function messageId(executionId: string, sequenceNumber: number): string {
  return uuidFrom(`message:${sequenceNumber}`, executionId);
}
