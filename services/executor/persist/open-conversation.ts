import { v5 as uuidFrom } from "uuid";
import { MessageEntity } from "#shared/database/entities/message.ts";
import type { ExecutionRun } from "../execution-run.ts";
import type { NewMessage } from "../controllers/controller.ts";
import { commitStep } from "./commit-step.ts";

/** Stores an execution's first messages. */
export async function openConversation(
  { session, execution }: ExecutionRun,
  messages: readonly NewMessage[],
): Promise<void> {
  const { execution_id, stage_id } = execution;
  await commitStep(session, async (manager) => {
    await manager.insert(
      MessageEntity,
      messages.map(({ role, content }, index) => ({
        message_id: uuidFrom(`message:${index + 1}`, execution_id),
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
