import { v5 as uuidFrom } from "uuid";
import type { EntityManager } from "typeorm";
import { MessageEntity, type Message } from "#shared/database/entities/message.ts";
import { storableText } from "#shared/storable-text.ts";
import type { ExecutionRun } from "../execution-run.ts";

/** What distinguishes one message from its siblings. */
export type AppendedMessage = Pick<Message, "role" | "content"> &
  Partial<Pick<Message, "tool_calls" | "tool_call_id" | "tool_name" | "provider_state">>;

/** Within a step's transaction: appends one message to the conversation as it was when the step began. */
export async function appendMessage(
  manager: EntityManager,
  { execution, state }: ExecutionRun,
  message: AppendedMessage,
): Promise<void> {
  const { session_id, stage_id, execution_id } = execution;
  const sequence_number = (state.messages.at(-1)?.sequence_number ?? 0) + 1;
  await manager.insert(MessageEntity, {
    ...message,
    content: storableText(message.content).text,
    // Its place names it, so that a step made twice names the same row.
    message_id: uuidFrom(`message:${sequence_number}`, execution_id),
    session_id,
    stage_id,
    execution_id,
    sequence_number,
  });
}
