import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Uuid } from "#shared/contracts/uuid.ts";

/** The longest question, in characters. */
export const MAX_QUESTION_CHARACTERS = 100_000;

/** The body of `POST /api/v1/sessions/:id/chat/messages`. Unknown members are ignored. */
export const ChatMessageBody = Type.Object({
  content: Type.String({ minLength: 1, maxLength: MAX_QUESTION_CHARACTERS, description: "the question" }),
});

/** The answer to it. */
export const ChatMessageResponse = Type.Object(
  {
    chat_id: Uuid,
    message_id: Uuid,
    stage_id: { ...Uuid, description: "the stage that answers" },
  },
  { title: "ChatMessageAccepted" },
);
