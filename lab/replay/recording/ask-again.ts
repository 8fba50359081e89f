import type { Cassette } from "#shared/cassette/cassette.ts";
import { uuidFrom } from "#shared/uuid-from.ts";
import { parseResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { scoreIdOf } from "#shared/contracts/scoring.ts";
import { insertFollowUp } from "#shared/database/insert-follow-up.ts";
import type { Database } from "#shared/database/database.ts";

export type RecordedFollowUp = Cassette["follow_ups"][number];

const CHAT = `
WITH chat AS (
  INSERT INTO chats (chat_id, session_id, chain_id, created_by) VALUES ($1, $2, $3, $6)
  ON CONFLICT (session_id) DO NOTHING RETURNING chat_id
)
INSERT INTO chat_user_messages (message_id, chat_id, content, author)
SELECT $4, coalesce((SELECT chat_id FROM chat), (SELECT chat_id FROM chats WHERE session_id = $2)), $5, $6`;

const SCORE = `
INSERT INTO session_scores (score_id, session_id, stage_id, follow_up_id, score_triggered_by)
VALUES ($1, $2, $3, $4, 'replay')`;

const EXISTS = "SELECT 1 FROM follow_ups WHERE follow_up_id = $1";

/**
 * Inserts a follow-up of the recording again, under its own id, unless the executor has done so itself. Throws database errors, and
 * TerminalError `malformed` for a configuration that this version does not read.
 */
export async function askAgain(
  db: Database,
  { session }: Cassette,
  followUp: RecordedFollowUp,
  configured: ResolvedChain | undefined,
): Promise<void> {
  const { follow_up_id: followUpId, kind, question } = followUp;
  const { session_id: sessionId, chain_id } = session;
  const chain = configured ?? parseResolvedChain(followUp.resolved_config);
  await db.transaction(async (transaction) => {
    const found = await transaction.query(EXISTS, [followUpId]);
    if (Array.isArray(found) && found.length > 0) return;
    const messageId = uuidFrom("question", followUpId);
    if (question !== null) {
      const chatId = uuidFrom("chat", sessionId);
      const { content, author } = question;
      await transaction.query(CHAT, [chatId, sessionId, chain_id, messageId, content, author]);
    }
    const entry = firstEntry(followUp);
    const inserted = await insertFollowUp(transaction, {
      sessionId,
      followUpId,
      kind,
      stageType: kind === "chat" ? "chat" : "scoring",
      chain,
      askedBy: question?.author ?? "replay",
      ...(question === null ? {} : { messageId }),
      ...(entry === undefined ? {} : { firstEntry: entry }),
    });
    if (inserted === "busy") throw new Error(`another ${kind} of the session is open`);
    if (kind === "score") {
      await transaction.query(SCORE, [scoreIdOf(followUpId), sessionId, inserted.stageId, followUpId]);
    }
  });
}

function firstEntry({ question, feedback }: RecordedFollowUp) {
  if (question !== null) {
    const { content, author } = question;
    return { event_type: "user_question", content, metadata: { author } } as const;
  }
  if (feedback === null) return undefined;
  return { event_type: "user_question", content: feedback, metadata: { author: "replay" } } as const;
}
