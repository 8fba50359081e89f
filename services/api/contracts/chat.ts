import { ChatMessageBody, ChatMessageResponse } from "../schemas/chat.ts";
import { SessionParams } from "../http/common-schemas.ts";
import type { RouteContracts } from "./legacy.ts";

/** Questions about sessions that have ended. */
export const CHAT_CONTRACTS = {
  "POST /api/v1/sessions/:id/chat/messages": {
    id: "askChat",
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
} as const satisfies RouteContracts;
