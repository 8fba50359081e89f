import { Uuid } from "#shared/contracts/uuid.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { SessionParams } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

/** The longest question, in characters. */
export const MAX_QUESTION_CHARACTERS = 100_000;

/** The body of `POST /api/v1/sessions/:id/chat/messages`. Unknown members are ignored. */
const ChatMessageBody = Type.Object({
  content: Type.String({ minLength: 1, maxLength: MAX_QUESTION_CHARACTERS, description: "the question" }),
});

const ChatMessageResponse = Type.Object(
  {
    chat_id: Uuid,
    message_id: Uuid,
    stage_id: { ...Uuid, description: "the stage that answers" },
  },
  { title: "ChatMessageAccepted" },
);

/** Questions about sessions that have ended. */
export const CHAT = {
  askChat: {
    method: "post",
    path: "/api/v1/sessions/:id/chat/messages",
    action: "session.chat",
    tag: "sessions",
    summary: "Ask about a session that has ended; the answer is a stage of the session",
    params: SessionParams,
    body: { schema: ChatMessageBody, example: { content: "Is the memory limit still 256 MiB?" } },
    responses: {
      202: {
        description: "stored; the stage's events follow those of the session",
        schema: ChatMessageResponse,
      },
    },
    errors: [409],
  },
} as const satisfies Endpoints;
