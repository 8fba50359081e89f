import { randomUUID } from "node:crypto";
import { uuidV7 } from "#shared/uuid-v7.ts";
import { ownerOf } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { parseResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";
import { toolCallId } from "#shared/contracts/tool-call.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { recordTools } from "#shared/database/record-tools.ts";
import { configOf, keepConfig, storedConfig } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { SESSION_COUNTERS, SESSION_FLAGS } from "#shared/database/session-counters.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { traceCarrier } from "#shared/telemetry/tracing.ts";
import { validationError } from "../http/request-error.ts";
import type { ForkChanges } from "./contract.ts";
import { changeChain } from "./change-chain.ts";
import { copyRows } from "./copy-rows.ts";
import { editedOutcome, findEditedCall, type EditedCall } from "./edited-result.ts";
import { ForkIds } from "./fork-ids.ts";
import { findForkPoint, momentBefore, type ForkPoint } from "./fork-point.ts";
import type { ForkRequest } from "./fork-request.ts";

/** A fork that was stored. */
export interface StoredFork {
  readonly sessionId: string;
  readonly atSeq: number;
  readonly lane: SessionLane;
}

interface Fork extends ForkRequest {
  readonly session: FoundSession;
  readonly identity: Identity;
  readonly config: AgentConfig;
}

const TOKENS = ["input_tokens", "output_tokens", "thinking_tokens", "total_tokens"] as const;
/** Of a text in the list of forks. */
const MAX_SHOWN_CHARS = 2_000;

const parseParent = compileParser(
  "session that is forked",
  Type.Object({
    row: Type.String(),
    config: Type.Unknown(),
    lane: literals(SESSION_LANES),
    inbox_seq: Type.Integer(),
    open: Type.Array(Type.String()),
  }),
);
const parseDone = compileParser("fork", Type.Object({ n: Type.Integer() }));

/** `open`: the executions whose conversation has begun and not ended. */
const parentOf = (past: string): string => `
SELECT to_jsonb(s)::text AS row, ${configOf("s")} AS config, s.lane,
  (SELECT coalesce(max(ordinal), 0) FROM ${past}.steering_messages WHERE session_id = $1) AS inbox_seq,
  (SELECT coalesce(json_agg(e.execution_id), '[]') FROM ${past}.agent_executions e
   WHERE e.session_id = $1 AND e.status IN ('pending', 'active')
     AND EXISTS (SELECT FROM ${past}.messages m WHERE m.execution_id = e.execution_id)) AS open
FROM ${past}.alert_sessions s WHERE s.session_id = $1`;

const SUMS = [...TOKENS, ...SESSION_COUNTERS, ...SESSION_FLAGS].join(", ");

const INSERT_SESSION = `
WITH added AS (
  INSERT INTO alert_sessions SELECT r.* FROM jsonb_populate_record(NULL::alert_sessions,
    $1::jsonb || $2::jsonb || jsonb_build_object('created_at', clock_timestamp())) r
  RETURNING session_id)
SELECT count(*)::int AS n FROM added`;

const insertRuntime = (past: string): string => `
WITH added AS (
  INSERT INTO session_runtime (session_id, last_seq, inbox_seq, ${SUMS})
  SELECT $2, $3, $4, ${SUMS} FROM ${past}.session_runtime WHERE session_id = $1 RETURNING 1)
SELECT count(*)::int AS n FROM added`;

const INSERT_NOTE = `
WITH added AS (
  INSERT INTO steering_messages (message_id, session_id, ordinal, mode, content, author, targets, after_stage, after_agent, calls)
  VALUES ($1, $2, $3, 'note', $4, $5, $6::uuid[], 0, 0, '{}') RETURNING 1)
SELECT count(*)::int AS n FROM added`;

const INSERT_EDITED = `
WITH added AS (
  INSERT INTO recorded_tool_calls (session_id, ordinal, execution_id, iteration, call_index, server_name, tool_name, arguments, outcome, kept)
  SELECT $2, 0, $3, $4, $5, i.server_name, coalesce(i.tool_name, ''), coalesce(i.tool_arguments, '{}'), $6::jsonb, $7::jsonb
  FROM mcp_interactions i WHERE i.interaction_id = $1 RETURNING 1)
SELECT count(*)::int AS n FROM added`;

/**
 * Stores a session that goes on from a point of another one: its rows as of that point under new ids, pending, with the changes. The
 * transaction has one snapshot for all of its statements; the texts of the changes are masked. Throws RequestError 400, 409 and 422, and database
 * errors.
 */
export async function forkSession(transaction: Queryable, fork: Fork): Promise<StoredFork> {
  const { session, changes, tools, config, identity } = fork;
  const { session_id: parent } = session;
  const edited =
    changes.tool_result === undefined ? null : await findEditedCall(transaction, parent, changes.tool_result);
  const point = await pointOf(transaction, fork, edited);
  const { past, atSeq } = point;
  const [row] = await selectRows(transaction, parseParent, parentOf(past), [parent]);
  if (row === undefined) throw validationError("at_seq", "must be an event of the session");
  const chain = changeChain(config, parseResolvedChain(row.config), changes);
  const sessionId = uuidV7();
  const stored = storedConfig(chain);
  // No other session has it, because its instructions may be a person's text: it goes with the fork (`alert_sessions_forget_fork`).
  const own = { ...stored, hash: textHash(`${sessionId}:${stored.hash}`) };
  await keepConfig(transaction, own);
  const ids = await ForkIds.read(transaction, parent, sessionId);
  // A critical one would take the place of an investigation that people wait for.
  const lane = row.lane === "critical" ? "normal" : row.lane;
  const columns = {
    ...NEW_SESSION,
    session_id: sessionId,
    author: identity.name,
    owner_subject: ownerOf(identity),
    config_hash: own.hash,
    lane,
    trace_context: traceCarrier() ?? null,
    tools_mode: tools,
    forked_from: parent,
    forked_at_seq: atSeq,
    fork_changes: shownChanges(changes),
  };
  await selectRows(transaction, parseDone, INSERT_SESSION, [
    ids.rewrite(row.row),
    JSON.stringify(postgresSafeValue(columns)),
  ]);
  const isTold = changes.custom_instructions !== undefined && row.open.length > 0;
  const inboxSeq = row.inbox_seq + (isTold ? 1 : 0);
  await selectRows(transaction, parseDone, insertRuntime(past), [parent, sessionId, atSeq, inboxSeq]);
  const copy = { transaction, point, parent, fork: sessionId, ids };
  await copyRows({ ...copy, provider: providerColumns(chain, changes) });
  if (isTold) await tellOpenAgents(fork, { ...copy, inboxSeq, open: row.open });
  await recordCalls(fork, { ...copy, chain, edited });
  return { sessionId, atSeq, lane };
}

/** What a fork has not been through. It sends no notifications, because it is an experiment. */
const NEW_SESSION = {
  status: "pending",
  started_at: null,
  completed_at: null,
  error_message: null,
  error_code: null,
  final_analysis: null,
  executive_summary: null,
  executive_summary_error: null,
  pod_id: null,
  slack_message_fingerprint: null,
  notify: null,
  review_status: null,
  assignee: null,
  assigned_at: null,
  quality_rating: null,
  action_taken: null,
  investigation_feedback: null,
  feedback_edited: false,
  feedback_edited_by: null,
  feedback_edited_at: null,
  deleted_at: null,
};

/** With an edited result it is the moment before the call has its result: the executor answers the call with the edited one. */
async function pointOf(
  transaction: Queryable,
  { session, atSeq }: Fork,
  edited: EditedCall | null,
): Promise<ForkPoint> {
  if (edited === null) return findForkPoint(transaction, session, atSeq);
  const before = await momentBefore(transaction, session.session_id, edited.seq);
  if (atSeq !== undefined && atSeq !== edited.seq && atSeq !== before) {
    throw validationError(
      "at_seq",
      `must be ${edited.seq}, the end of the step of the call whose result is edited, or absent, got ${atSeq}`,
    );
  }
  return findForkPoint(transaction, session, before);
}

/** The columns that name the provider of an agent; null if it does not change. */
function providerColumns(chain: ResolvedChain, { llm_provider, model }: ForkChanges): object | null {
  if (llm_provider === undefined) return model === undefined ? null : { model_name: model };
  const [agent] = chain.stages[0]?.agents ?? [];
  if (agent === undefined) return null;
  const { name, backend, model: model_name } = agent.llm_provider;
  return { llm_provider: name, llm_backend: backend, model_name };
}

interface Stored {
  readonly transaction: Queryable;
  readonly parent: string;
  readonly fork: string;
  readonly ids: ForkIds;
}

/** The prompts of agents that have begun are stored, so they get other instructions as a message. */
async function tellOpenAgents(
  { changes: { custom_instructions = "" }, identity }: Fork,
  {
    transaction,
    fork,
    ids,
    inboxSeq,
    open,
  }: Stored & { readonly inboxSeq: number; readonly open: readonly string[] },
): Promise<void> {
  const content = `These instructions replace the custom instructions that you were given:\n\n${custom_instructions}`;
  const targets = open.map((id) => ids.of(id));
  await selectRows(transaction, parseDone, INSERT_NOTE, [
    randomUUID(),
    fork,
    inboxSeq,
    content,
    identity.name,
    targets,
  ]);
}

async function recordCalls(
  { tools, changes }: Fork,
  {
    transaction,
    parent,
    fork,
    ids,
    chain,
    edited,
  }: Stored & { readonly chain: ResolvedChain; readonly edited: EditedCall | null },
): Promise<void> {
  if (tools === "recorded") {
    const without = edited === null ? {} : { without: edited.interactionId };
    await recordTools(transaction, { source: parent, target: fork, executions: ids.executions, ...without });
  }
  if (edited === null) return;
  const { interactionId, executionId, iteration, index, serverName } = edited;
  const execution = ids.of(executionId);
  const handle = toolCallId(execution, { iteration, index });
  const { outcome, kept } = editedOutcome(changes.tool_result?.content ?? "", chain, { serverName, handle });
  await selectRows(transaction, parseDone, INSERT_EDITED, [
    interactionId,
    fork,
    execution,
    iteration,
    index,
    JSON.stringify(outcome),
    kept === null ? null : JSON.stringify(kept),
  ]);
}

/** The changes as the session and its parent show them. */
function shownChanges({ custom_instructions, tool_result, ...rest }: ForkChanges): ForkChanges {
  return {
    ...rest,
    ...(custom_instructions === undefined ? {} : { custom_instructions: shown(custom_instructions) }),
    ...(tool_result === undefined
      ? {}
      : { tool_result: { ...tool_result, content: shown(tool_result.content) } }),
  };
}

function shown(text: string): string {
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, safeCut(text, MAX_SHOWN_CHARS))}…`;
}
