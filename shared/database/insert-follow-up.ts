import { randomUUID } from "node:crypto";
import { uuidFrom } from "#shared/uuid-from.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { INITIAL_ITERATION_STATE } from "#shared/contracts/iteration-state.ts";
import { textsOfChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { SessionEvent, UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { FollowUpKind, StageType, TimelineEventType } from "#shared/contracts/statuses.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { keepConfig, storedConfig } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { plannedStageRows } from "#shared/database/session-counters.ts";
import { TerminalError } from "#shared/errors.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";

/** Work to be done on a session that has ended. Its texts have no secrets. */
interface AskedFollowUp {
  readonly sessionId: string;
  readonly kind: FollowUpKind;
  readonly stageType: StageType;
  /** Its one stage with its one agent. */
  readonly chain: ResolvedChain;
  /** The name of the person, or of the part of the system, that asks for it. */
  readonly askedBy: string;
  /** The ids of its stage and its execution derive from it; by default a new one. */
  readonly followUpId?: string;
  /** The message of a chat that the stage answers; its row is inserted before, in the same transaction. */
  readonly messageId?: string;
  /** The first entry of the stage's timeline. */
  readonly firstEntry?: {
    readonly event_type: TimelineEventType;
    readonly content: string;
    readonly metadata: object | null;
  };
  /** Events about what was inserted before, in front of those of the stage. */
  readonly eventsBefore?: readonly UnstampedPayload[];
}

/** A follow-up that is committed with the transaction. */
export interface InsertedFollowUp {
  readonly followUpId: string;
  readonly stageId: string;
  readonly stageIndex: number;
  readonly executionId: string;
  /** To be published after the commit. */
  readonly events: readonly SessionEvent[];
  /** The number of its entry in the session's inbox, for the notice to an owner. */
  readonly inboxSeq: number;
  /** An executor owns the session, and learns of it from the inbox; otherwise one must be woken. */
  readonly isOwned: boolean;
}

/** What is read under this lock is newer than all other work on the session. */
const LOCK = "SELECT 1 FROM session_runtime WHERE session_id = $1 FOR NO KEY UPDATE";

/**
 * The follow-up comes first: the partial unique index decides, and without its row nothing else is written. The stage's number is
 * above those of the chain, whether or not these have rows. `seq` is the number of the last event that follows.
 */
const INSERT = `
WITH follow_up AS (
  INSERT INTO follow_ups (follow_up_id, session_id, kind, stage_id, config_hash, asked_by)
  VALUES ($2, $1, $3, $4, $5, $6)
  ON CONFLICT (session_id, kind) WHERE status IN ('pending', 'active') DO NOTHING
  RETURNING session_id
), runtime AS (
  UPDATE session_runtime r SET inbox_seq = inbox_seq + 1, not_before = CASE WHEN waiting_for IS NULL THEN not_before END
  FROM follow_up WHERE r.session_id = follow_up.session_id
  RETURNING r.session_id, inbox_seq, last_seq + $7::int AS seq, coalesce(lease_expires_at > clock_timestamp(), false) AS is_owned
), stage AS (
  INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count, stage_type, status, started_at,
                      chat_id, chat_user_message_id, seq)
  SELECT $4, runtime.session_id, $8, 1 + greatest(
           (SELECT count(*)::int FROM ${plannedStageRows("s")}),
           (SELECT coalesce(max(g.stage_index), 0) FROM stages g WHERE g.session_id = s.session_id)),
         1, $9, 'active', now(), (SELECT chat_id FROM chat_user_messages WHERE message_id = $10), $10, runtime.seq
  FROM runtime JOIN alert_sessions s USING (session_id)
  RETURNING stage_id, session_id, stage_index, seq
), execution AS (
  INSERT INTO agent_executions (execution_id, stage_id, session_id, agent_name, agent_index, iteration_strategy,
                                iteration_state, llm_provider, llm_backend, model_name, seq)
  SELECT $11, stage_id, session_id, $12, 1, $13, $14, $15, $16, $17, seq FROM stage
), entry AS (
  INSERT INTO timeline_events (event_id, session_id, stage_id, execution_id, sequence_number, event_type, status, content,
                               metadata, first_seq, seq)
  SELECT $18, session_id, stage_id, $11, 1, $19, 'completed', $20, $21, seq, seq FROM stage
  WHERE $18::uuid IS NOT NULL
), needed AS (
  INSERT INTO needed_texts (session_id, hash) SELECT session_id, unnest($22::text[]) FROM runtime
  ON CONFLICT DO NOTHING
)
SELECT stage_index, inbox_seq, is_owned FROM stage JOIN runtime USING (session_id)`;
const parseInserted = compileParser(
  "inserted follow-up",
  Type.Object({ stage_index: Type.Integer(), inbox_seq: Type.Integer(), is_owned: Type.Boolean() }),
);

/**
 * Inserts a piece of work on a session that has ended, with its stage, its execution and its events, in the running
 * transaction, which has to lock the session's row first if it needs it at all. An executor claims the session for it as for a
 * new one: after the commit the caller publishes the events and wakes one. Returns `busy`, and writes nothing, if work of this kind is
 * open. The texts that its skills refer to must be stored before (`keep-texts.ts`). Throws database errors, and TerminalError
 * `malformed` for a chain without an agent.
 */
export async function insertFollowUp(
  transaction: Queryable,
  followUp: AskedFollowUp,
): Promise<InsertedFollowUp | "busy"> {
  const { sessionId, kind, chain, stageType, messageId, followUpId = randomUUID() } = followUp;
  const [plan] = chain.stages;
  const [agent] = plan?.agents ?? [];
  if (plan === undefined || agent === undefined) {
    throw new TerminalError("malformed", `the configuration of a ${kind} has no agent`);
  }
  const stageId = uuidFrom("stage", followUpId);
  const executionId = uuidFrom("execution:1", stageId);
  const entryId = uuidFrom("entry:1", executionId);
  const entry = postgresSafeValue(followUp.firstEntry);
  const { eventsBefore = [] } = followUp;
  const config = storedConfig(chain);
  await transaction.query(LOCK, [sessionId]);
  await keepConfig(transaction, config);
  const [inserted] = await selectRows(transaction, parseInserted, INSERT, [
    sessionId,
    followUpId,
    kind,
    stageId,
    config.hash,
    followUp.askedBy,
    eventsBefore.length + (entry === undefined ? 1 : 2),
    plan.name,
    stageType,
    messageId ?? null,
    executionId,
    agent.name,
    agent.iteration_strategy,
    JSON.stringify(INITIAL_ITERATION_STATE),
    agent.llm_provider.name,
    agent.llm_provider.backend,
    agent.llm_provider.model,
    entry === undefined ? null : entryId,
    entry?.event_type ?? null,
    entry?.content ?? null,
    entry?.metadata ?? null,
    textsOfChain(chain),
  ]);
  if (inserted === undefined) return "busy";
  const { stage_index, inbox_seq: inboxSeq, is_owned: isOwned } = inserted;
  const ofStage = { session_id: sessionId, stage_id: stageId };
  const events = await appendEvents(transaction, sessionId, [
    ...eventsBefore,
    {
      type: "stage.started",
      ...ofStage,
      stage_name: plan.name,
      stage_index,
      status: "active",
      stage_type: stageType,
      expected_agent_count: 1,
    },
    ...(entry === undefined
      ? []
      : [
          {
            type: "timeline_event.created",
            ...ofStage,
            event_id: entryId,
            execution_id: executionId,
            status: "completed",
            sequence_number: 1,
            ...entry,
          } as const,
        ]),
  ]);
  return { followUpId, stageId, stageIndex: stage_index, executionId, events, inboxSeq, isOwned };
}
