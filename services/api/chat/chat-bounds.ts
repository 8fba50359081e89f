import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RequestError } from "../http/request-error.ts";

/** How many questions about a session are taken in a minute and in all: each is part of the prompts of those after it. */
export const CHAT_BOUNDS = { perMinute: 30, messages: 500 } as const;

const COUNT = `
SELECT count(*)::int AS messages,
       (count(*) FILTER (WHERE m.created_at > clock_timestamp() - interval '1 minute'))::int AS recent
FROM chat_user_messages m JOIN chats USING (chat_id) WHERE session_id = $1`;
const parseCount = compileParser(
  "questions about a session",
  Type.Object({ messages: Type.Integer(), recent: Type.Integer() }),
);

/** Throws RequestError 429 if no further question about the session is taken now; to be called under the lock of its row. */
export async function checkChatBounds(transaction: Queryable, sessionId: string): Promise<void> {
  const { perMinute, messages } = CHAT_BOUNDS;
  const [found] = await selectRows(transaction, parseCount, COUNT, [sessionId]);
  if (found === undefined) return;
  if (found.messages >= messages) {
    throw new RequestError(429, `a session takes ${messages} questions in all`, {
      retryAfterSeconds: 3_600,
    });
  }
  if (found.recent >= perMinute) {
    throw new RequestError(429, `a session takes ${perMinute} questions a minute`, { retryAfterSeconds: 60 });
  }
}
