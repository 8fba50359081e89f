import { randomUUID } from "node:crypto";
import { INITIAL_ITERATION_STATE } from "#shared/contracts/iteration-state.ts";
import { storedChain } from "#shared/contracts/resolved-chain.ts";
import type { FollowUpKind } from "#shared/contracts/statuses.ts";
import type { ExecutorFixture } from "./executor-fixture.ts";
import { resolvedChain, type ChainOptions } from "./resolved-chain.ts";

export interface Asked {
  readonly followUpId: string;
  readonly stageId: string;
  readonly executionId: string;
}

/** Asks a question about a session, or for other work on it, as the api does, and tells a running owner. */
export async function ask(
  executor: ExecutorFixture,
  id: string,
  options: ChainOptions & { readonly kind?: FollowUpKind; readonly question?: string } = {},
): Promise<Asked> {
  const { kind = "chat", question = "What happened?" } = options;
  const [followUpId, stageId, executionId] = [randomUUID(), randomUUID(), randomUUID()];
  const chain = resolvedChain({ strategy: "native-thinking", stages: [["ChatAgent"]], ...options });
  const agent = chain.stages[0]?.agents[0];
  const config = JSON.stringify(
    storedChain({ ...chain, stages: chain.stages.map((stage) => ({ ...stage, name: "Chat" })) }),
  );
  await executor.query(
    `WITH told AS (
       UPDATE session_runtime SET inbox_seq = inbox_seq + 1, last_seq = last_seq + 2,
         not_before = CASE WHEN waiting_for IS NULL THEN not_before END
       WHERE session_id = $1 RETURNING last_seq
     ), chat AS (
       INSERT INTO chats (chat_id, session_id, chain_id, created_by) VALUES (gen_random_uuid(), $1, 'test-chain', 'alice')
       ON CONFLICT (session_id) DO UPDATE SET chain_id = excluded.chain_id RETURNING chat_id
     ), message AS (
       INSERT INTO chat_user_messages (message_id, chat_id, content, author)
       SELECT gen_random_uuid(), chat_id, $2, 'alice' FROM chat RETURNING message_id, chat_id
     ), stage AS (
       INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count, stage_type, status, started_at,
                           chat_id, chat_user_message_id)
       SELECT $3, $1, 'Chat', (SELECT coalesce(max(stage_index), 0) + 1 FROM stages WHERE session_id = $1), 1, 'chat', 'active', now(),
              chat_id, message_id FROM message RETURNING stage_id
     ), execution AS (
       INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy, iteration_state,
                                     llm_provider, llm_backend, model_name)
       SELECT $4, stage_id, $1, $5, 1, $6, $7, 'scripted', 'scripted', 'scripted-test' FROM stage
     ), question AS (
       INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content, metadata)
       SELECT gen_random_uuid(), $1, stage_id, $4, 1, 'user_question', 'completed', $2, '{"author": "alice"}' FROM stage
     ), event AS (
       INSERT INTO events (session_id, seq, payload)
       SELECT $1, last_seq - 1, jsonb_build_object('type', 'stage.started', 'session_id', $1::text, 'stage_id', $3::text, 'stage_name', 'Chat',
         'stage_index', 99, 'status', 'active', 'stage_type', 'chat', 'timestamp', now()) FROM told
       UNION ALL SELECT $1, last_seq, jsonb_build_object('type', 'timeline_event.created', 'event_type', 'user_question',
         'status', 'completed', 'session_id', $1::text, 'timestamp', now()) FROM told
     )
     INSERT INTO follow_ups (follow_up_id, session_id, kind, stage_id, resolved_config, config_hash, asked_by)
     SELECT $8, $1, $9, stage_id, $10, 'hash', 'alice' FROM stage`,
    [
      id,
      question,
      stageId,
      executionId,
      agent?.name,
      agent?.iteration_strategy,
      JSON.stringify(INITIAL_ITERATION_STATE),
      followUpId,
      kind,
      config,
    ],
  );
  return { followUpId, stageId, executionId };
}

/** Cancels a follow-up as the api does; the message to its owner may be lost. */
export async function cancelFollowUp(
  executor: ExecutorFixture,
  id: string,
  { followUpId }: Asked,
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
