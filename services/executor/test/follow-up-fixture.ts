import { randomUUID } from "node:crypto";
import { pino } from "pino";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { FollowUpKind } from "#shared/contracts/statuses.ts";
import { insertFollowUp } from "#shared/database/insert-follow-up.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import type { ExecutorFixture } from "./executor-fixture.ts";
import { resolvedChain, type ChainOptions } from "./resolved-chain.ts";

export interface Asked {
  readonly followUpId: string;
  readonly stageId: string;
  readonly executionId: string;
  /** Then no executor is woken. */
  readonly isOwned: boolean;
}

/** Asks a question about a session, or for other work on it, as the api does; a message to a running owner is lost. */
export async function ask(
  executor: ExecutorFixture,
  sessionId: string,
  options: ChainOptions & { readonly kind?: FollowUpKind; readonly question?: string } = {},
): Promise<Asked> {
  const chain = resolvedChain({ strategy: "native-thinking", stages: [["ChatAgent"]], ...options });
  const stages = chain.stages.map((stage) => ({ ...stage, name: "Chat" }));
  return askWith(executor, sessionId, { ...chain, stages }, options);
}

/** The same with a configuration of its own. */
export async function askWith(
  executor: ExecutorFixture,
  sessionId: string,
  chain: ResolvedChain,
  {
    kind = "chat",
    question = "What happened?",
  }: { readonly kind?: FollowUpKind; readonly question?: string } = {},
): Promise<Asked> {
  await using db = await openDatabase({
    url: executor.servers.postgres.serviceUrls.api,
    applicationName: "asks",
    poolSize: 1,
    log: pino({ level: "silent" }),
    signal: new AbortController().signal,
  });
  const asked = await db.transaction(async (transaction) => {
    const [chatId, messageId] = [randomUUID(), randomUUID()];
    await transaction.query(
      `WITH chat AS (
         INSERT INTO chats (chat_id, session_id, chain_id, created_by) VALUES ($1, $2, 'test-chain', 'alice')
         ON CONFLICT (session_id) DO NOTHING RETURNING chat_id
       )
       INSERT INTO chat_user_messages (message_id, chat_id, content, author)
       SELECT $3, coalesce((SELECT chat_id FROM chat), (SELECT chat_id FROM chats WHERE session_id = $2)), $4, 'alice'`,
      [chatId, sessionId, messageId, question],
    );
    return insertFollowUp(transaction, {
      sessionId,
      kind,
      stageType: "chat",
      chain,
      askedBy: "alice",
      messageId,
      firstEntry: { event_type: "user_question", content: question, metadata: { author: "alice" } },
    });
  });
  if (asked === "busy") throw new Error(`another ${kind} of session ${sessionId} is open`);
  return asked;
}

/** Cancels a follow-up as the api does; the message to its owner may be lost. */
export async function cancelFollowUp(
  executor: ExecutorFixture,
  id: string,
  { followUpId }: Pick<Asked, "followUpId">,
  { isMessageLost = false }: { readonly isMessageLost?: boolean } = {},
): Promise<void> {
  await executor.query(
    `WITH asked AS (
       UPDATE follow_ups SET cancel_requested_at = now() WHERE follow_up_id = $2 RETURNING follow_up_id
     )
     UPDATE session_runtime SET cancelled_follow_ups = ARRAY(SELECT follow_up_id FROM asked), inbox_seq = inbox_seq + 1,
       not_before = NULL
     WHERE session_id = $1`,
    [id, followUpId],
  );
  if (!isMessageLost) executor.deps.leases.find(id)?.cancel();
}
