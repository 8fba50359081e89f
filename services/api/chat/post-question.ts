import { randomUUID } from "node:crypto";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { insertFollowUp, type InsertedFollowUp } from "#shared/database/insert-follow-up.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { RequestError } from "../http/request-error.ts";

/** The chat is made with the first question. Under the lock of the session's row no other request makes it meanwhile. */
const INSERT = `
WITH made AS (
  INSERT INTO chats (chat_id, session_id, chain_id, created_by) VALUES ($2, $1, $3, $4)
  ON CONFLICT (session_id) DO NOTHING RETURNING chat_id
), chat AS (
  SELECT chat_id, true AS is_new FROM made
  UNION ALL SELECT chat_id, false FROM chats WHERE session_id = $1
), message AS (
  INSERT INTO chat_user_messages (message_id, chat_id, content, author) SELECT $5, chat_id, $6, $4 FROM chat
), counted AS (
  UPDATE session_runtime SET chat_message_count = chat_message_count + 1 WHERE session_id = $1
)
SELECT chat_id, is_new FROM chat`;
const parseChat = compileParser("chat", Type.Object({ chat_id: Uuid, is_new: Type.Boolean() }));

/** A question as it is stored: its text has no secrets. */
interface Question {
  readonly sessionId: string;
  readonly content: string;
  readonly author: string;
  /** What the answer runs by; the texts that its skills refer to are stored. */
  readonly chain: ResolvedChain;
  /** By default a new one. */
  readonly messageId?: string | undefined;
}

/** A question that is committed with the transaction. */
interface PostedQuestion extends InsertedFollowUp {
  readonly chatId: string;
  readonly messageId: string;
}

/**
 * Stores a question about a locked session that has ended, and the work of answering it, in the running transaction. Throws
 * RequestError 409 while an answer is being generated, and 429 for a question too many; then the transaction must not commit.
 */
export async function postQuestion(
  transaction: Queryable,
  { sessionId, content, author, chain, messageId = randomUUID() }: Question,
): Promise<PostedQuestion> {
  await checkChatBounds(transaction, sessionId, messageId);
  const [chat] = await selectRows(transaction, parseChat, INSERT, [
    sessionId,
    randomUUID(),
    chain.chain_id,
    author,
    messageId,
    content,
  ]);
  if (chat === undefined) throw new Error(`session ${sessionId} has no chat`);
  const { chat_id: chatId, is_new: isNew } = chat;
  const asked = await insertFollowUp(transaction, {
    sessionId,
    kind: "chat",
    stageType: "chat",
    chain,
    askedBy: author,
    messageId,
    firstEntry: { event_type: "user_question", content, metadata: { author } },
    ...(isNew
      ? {
          eventsBefore: [
            { type: "chat.created", session_id: sessionId, chat_id: chatId, created_by: author },
          ],
        }
      : {}),
  });
  if (asked === "busy") throw new RequestError(409, "a chat response is already being generated");
  return { ...asked, chatId, messageId };
}

/** How many questions about a session are taken in a minute and in all: each is part of the prompts of those after it. */
export const CHAT_BOUNDS = { perMinute: 30, messages: 500 } as const;

const COUNT = `
SELECT count(*)::int AS messages,
       (count(*) FILTER (WHERE m.created_at > clock_timestamp() - interval '1 minute'))::int AS recent,
       coalesce(bool_or(m.message_id = $2), false) AS is_asked
FROM chat_user_messages m JOIN chats USING (chat_id) WHERE session_id = $1`;
const parseCount = compileParser(
  "questions about a session",
  Type.Object({ messages: Type.Integer(), recent: Type.Integer(), is_asked: Type.Boolean() }),
);

/**
 * Throws RequestError 429 if no further question about the session is taken now, and 409 if this one has been asked; to be called under the
 * lock of its row.
 */
async function checkChatBounds(transaction: Queryable, sessionId: string, messageId: string): Promise<void> {
  const { perMinute, messages } = CHAT_BOUNDS;
  const [found] = await selectRows(transaction, parseCount, COUNT, [sessionId, messageId]);
  if (found === undefined) return;
  if (found.is_asked) throw new RequestError(409, "this question has been asked");
  if (found.messages >= messages) {
    throw new RequestError(429, `a session takes ${messages} questions in all`, {
      retryAfterSeconds: 3_600,
    });
  }
  if (found.recent >= perMinute) {
    throw new RequestError(429, `a session takes ${perMinute} questions a minute`, { retryAfterSeconds: 60 });
  }
}
