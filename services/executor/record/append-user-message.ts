import { v5 as uuidFrom } from "uuid";
import type { EntityManager } from "typeorm";
import { MessageEntity } from "#shared/database/entities/message.ts";
import { storableText } from "#shared/storable-text.ts";
import type { ExecutionRun } from "../agent/run-execution.ts";

/** Within a step's transaction: appends a user message to the conversation as it was when the step began. */
export async function appendUserMessage(
  manager: EntityManager,
  { session, execution, state }: ExecutionRun,
  content: string,
): Promise<void> {
  const { execution_id, stage_id } = execution;
  const sequence_number = (state.messages.at(-1)?.sequence_number ?? 0) + 1;
  await manager.insert(MessageEntity, {
    message_id: uuidFrom(`message:${sequence_number}`, execution_id),
    session_id: session.sessionId,
    stage_id,
    execution_id,
    sequence_number,
    role: "user",
    content: storableText(content).text,
  });
}
