import { isNull } from "#shared/database/connection/statement-limits.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { scoringChain } from "#shared/contracts/scoring.ts";
import { FOLLOW_UP_KINDS, SESSION_STATUSES, isTerminal } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { configOf } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { runbookAddresses } from "#shared/runbooks/runbook-address.ts";
import { TerminalError } from "#shared/errors.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { STAGES } from "#shared/database/tables/stages.ts";
import type { AlertInput } from "../prompts/prompt-input.ts";
import { placeVariables } from "../prompts/variable-placeholders.ts";
import { ALERT_COLUMNS, AlertRow, RUNBOOK, alertOfSession } from "./alert-of-session.ts";
import { ExecutionState, SubAgentState, foldExecution, foldSubAgents } from "./execution-state.ts";
import { storedChainOf } from "./stored-chain.ts";
import type { StepRows } from "./step-rows.ts";

export type { ExecutionState, SubAgentState } from "./execution-state.ts";

/** The columns of a stage's row that decide the session's next step. */
const StageState = Type.Object({
  ...rowMembers(STAGES, "stage_id", "session_id", "stage_name", "stage_index", "stage_type"),
  ...rowMembers(STAGES, "success_policy", "status", "error_message", "error_code"),
});
export type StageState = Static<typeof StageState>;

/** The columns of an open follow-up that decide its next step. */
const FollowUpState = Type.Object({
  follow_up_id: Uuid,
  kind: literals(FOLLOW_UP_KINDS),
  stage_id: Uuid,
  status: literals(["pending", "active"]),
  is_cancelled: Type.Boolean(),
  /** As stored; of another follow-up it may be unreadable. */
  resolved_config: Type.Unknown(),
});
export type FollowUpState = Static<typeof FollowUpState>;

/** Everything that decides the session's next step. */
export interface SessionState {
  readonly sessionId: string;
  readonly status: (typeof SESSION_STATUSES)[number];
  /** With placeholders for variables, whose values belong to requests only. Null once the session has ended. */
  readonly chain: ResolvedChain | null;
  readonly alert: AlertInput;
  /** Ordered by stage_index. */
  readonly stages: readonly StageState[];
  /** Ordered by stage and agent_index; without sub-agents. */
  readonly executions: readonly ExecutionState[];
  /** The sub-agents of all executions, ordered by parent and agent_index. */
  readonly subAgents: readonly SubAgentState[];
  /** Completed final analyses by execution id: for each stage only that of the last execution that has one. */
  readonly answers: ReadonlyMap<string, string>;
  /** The session's runbook is an address that is to be fetched, and nothing is known of it yet; absent otherwise. */
  readonly isRunbookDue?: true;
  /** The configuration with which the session is scored if it completes; absent if it is not, and once it has ended. */
  readonly scoring?: ResolvedChain;
  /** Those that are open, oldest first. */
  readonly followUps: readonly FollowUpState[];
  /** The newest entry of the session's inbox when it was read. */
  readonly inboxSeq: number;
}

const parseRow = compileParser(
  "session state",
  Type.Object({
    ...AlertRow.properties,
    status: literals(SESSION_STATUSES),
    config_hash: Type.String(),
    inbox_seq: Type.Integer(),
    stages: Type.Array(StageState),
    executions: Type.Array(ExecutionState),
    sub_agents: Type.Array(SubAgentState),
    answers: Type.Array(Type.Object({ execution_id: Uuid, content: Type.String() })),
    follow_ups: Type.Array(FollowUpState),
  }),
);

const SESSION = `s.status, s.config_hash, r.inbox_seq, ${ALERT_COLUMNS}`;
const FROM = `FROM alert_sessions s JOIN session_runtime r USING (session_id) ${RUNBOOK} WHERE s.session_id = $1`;
const RUNS = `
  (SELECT coalesce(json_agg(x ORDER BY x.stage_index), '[]') FROM (
     SELECT stage_id, session_id, stage_name, stage_index, stage_type, success_policy, status, error_message, error_code
     FROM stages WHERE session_id = s.session_id) x) AS stages,
  (SELECT coalesce(jsonb_agg(to_jsonb(x) - 'stage_index' ORDER BY x.stage_index, x.agent_index), '[]') FROM (
     SELECT e.execution_id, e.stage_id, e.session_id, e.agent_name, e.agent_index, e.status, e.error_message, e.error_code,
            (e.iteration_state ->> 'actions_claimed')::boolean AS actions_claimed, stages.stage_index
     FROM agent_executions e JOIN stages USING (stage_id)
     WHERE e.session_id = s.session_id AND ${isNull("e.parent_execution_id")}) x) AS executions,
  (SELECT coalesce(json_agg(x ORDER BY x.parent_execution_id, x.agent_index), '[]') FROM (
     SELECT execution_id, stage_id, session_id, parent_execution_id, agent_name, agent_index, status, error_message, error_code,
            (iteration_state ->> 'actions_claimed')::boolean AS actions_claimed, coalesce(task, '') AS task,
            delivered_at IS NOT NULL AS is_delivered, cancel_requested_at IS NOT NULL AS is_cancelled,
            iteration_state ->> 'deadline_at' AS deadline_at
     FROM agent_executions WHERE session_id = s.session_id AND NOT ${isNull("parent_execution_id")}) x) AS sub_agents`;

/**
 * One statement, so that all of it is of one moment. A stage of a hundred agents has a hundred answers, each perhaps a
 * megabyte: only the answer that represents its stage is read.
 */
const LOAD = `
SELECT ${SESSION}, ${RUNS},
  (SELECT coalesce(json_agg(x), '[]') FROM (
     SELECT DISTINCT ON (e.stage_id) execution_id, content FROM timeline_events t JOIN agent_executions e USING (session_id, execution_id)
     WHERE t.session_id = s.session_id AND event_type = 'final_analysis' AND t.status = 'completed'
       AND ${isNull("e.parent_execution_id")}
     ORDER BY e.stage_id, agent_index DESC, sequence_number DESC) x) AS answers,
  (SELECT coalesce(json_agg(x ORDER BY x.created_at), '[]') FROM (
     SELECT follow_up_id, kind, stage_id, status, cancel_requested_at IS NOT NULL AS is_cancelled, ${configOf("follow_ups")} AS resolved_config, created_at
     FROM follow_ups WHERE session_id = s.session_id AND status IN ('pending', 'active')) x) AS follow_ups
${FROM}`;

/** The same of a session that has no stages yet; no row of another one. */
export const LOAD_NEW = `
SELECT ${SESSION}, ${["stages", "executions", "sub_agents", "answers", "follow_ups"].map((name) => `'[]'::json AS ${name}`).join(", ")}
${FROM} AND NOT EXISTS (SELECT FROM stages WHERE stages.session_id = $1)`;

/**
 * Reads a session's rows, without the conversations. Throws TerminalError `not_found` if the session does not exist, and what
 * `sessionState` throws.
 */
export async function loadSession(db: Queryable, sessionId: string): Promise<SessionState> {
  const [row] = await selectRows(db, parseUnknown, LOAD, [sessionId]);
  if (row === undefined) throw new TerminalError("not_found", `session ${sessionId} does not exist`);
  return sessionState(db, sessionId, row);
}

const parseUnknown = compileParser("session row", Type.Unknown());

/**
 * The state that a row of `LOAD_NEW`, or of the whole session, holds. Throws the parser's error if its stored chain is malformed or for another
 * version to run, and database errors.
 */
export async function sessionState(db: Queryable, sessionId: string, stored: unknown): Promise<SessionState> {
  const row = parseRow(stored);
  const { status, stages, executions, sub_agents: subAgents, answers, follow_ups, inbox_seq } = row;
  const resolved = isTerminal(status) ? null : await storedChainOf(db, row.config_hash);
  const alert = alertOfSession(row);
  const chain = resolved && placeVariables(resolved, alert.nonce);
  const isFetched =
    chain?.fetches_runbook === true && runbookAddresses(alert.runbookUrl, chain.default_runbook).length > 0;
  return {
    sessionId,
    status,
    chain,
    alert,
    ...(isFetched && !row.is_runbook_settled ? { isRunbookDue: true as const } : {}),
    ...(resolved?.scoring === undefined ? {} : { scoring: scoringChain(resolved, resolved.scoring.agent) }),
    stages,
    executions,
    subAgents,
    answers: new Map(answers.map(({ execution_id, content }) => [execution_id, content])),
    followUps: follow_ups.map(
      ({ follow_up_id, kind, stage_id, status: own, is_cancelled, resolved_config }) => ({
        follow_up_id,
        kind,
        stage_id,
        status: own,
        is_cancelled,
        resolved_config,
      }),
    ),
    inboxSeq: inbox_seq,
  };
}

const parseRuns = compileParser(
  "runs of a session",
  Type.Object({
    stages: Type.Array(StageState),
    executions: Type.Array(ExecutionState),
    sub_agents: Type.Array(SubAgentState),
  }),
);

/** Reads a session's stages and executions, those of sub-agents after the others, also of a session whose stored chain cannot be read. */
export async function loadRuns(
  db: Queryable,
  sessionId: string,
): Promise<Pick<SessionState, "stages" | "executions">> {
  const [row] = await selectRows(
    db,
    parseRuns,
    `SELECT ${RUNS} FROM session_runtime s WHERE s.session_id = $1`,
    [sessionId],
  );
  if (row === undefined) return { stages: [], executions: [] };
  return { stages: row.stages, executions: [...row.executions, ...row.sub_agents] };
}

/** The state after a step with these rows. */
export function foldSession(state: SessionState, rows: StepRows): SessionState {
  const ends = new Map(rows.stageEnds?.map((end) => [end.stage_id, end]));
  const newStages = rows.stages?.map(
    ({ stage_id, stage_name, stage_index, stage_type, success_policy }): StageState => ({
      stage_id,
      session_id: state.sessionId,
      stage_name,
      stage_index,
      stage_type,
      success_policy,
      status: "active",
      error_message: null,
      error_code: null,
    }),
  );
  const { isRunbookDue: _isRunbookDue, scoring: _scoring, ...ended } = state;
  return {
    ...(rows.session?.end === undefined ? state : ended),
    status: rows.session?.end?.status ?? state.status,
    chain: rows.session?.end === undefined ? state.chain : null,
    stages: [...state.stages, ...(newStages ?? [])].map((stage) => {
      const end = ends.get(stage.stage_id);
      if (end === undefined) return stage;
      return { ...stage, status: end.status, error_message: end.error_message, error_code: end.error_code };
    }),
    executions: foldExecutions(state, rows),
    subAgents: foldSubAgents(state, rows),
    followUps: foldFollowUps(state, rows),
    answers: foldAnswers(state, rows),
  };
}

function foldFollowUps({ followUps }: SessionState, rows: StepRows): readonly FollowUpState[] {
  if (rows.followUpChanges === undefined && rows.followUps === undefined) return followUps;
  const added = (rows.followUps ?? []).map(
    ({ follow_up_id, kind, stage_id, resolved_config }): FollowUpState => ({
      follow_up_id,
      kind,
      stage_id,
      status: "pending",
      is_cancelled: false,
      resolved_config,
    }),
  );
  const changes = new Map(rows.followUpChanges?.map((change) => [change.follow_up_id, change]));
  return [...followUps, ...added].flatMap((followUp) => {
    const change = changes.get(followUp.follow_up_id);
    if (change?.end !== undefined) return [];
    return [change?.starts === undefined ? followUp : { ...followUp, status: "active" as const }];
  });
}

function foldExecutions({ sessionId, executions }: SessionState, rows: StepRows): readonly ExecutionState[] {
  if (rows.executions === undefined && rows.executionChanges === undefined) return executions;
  const changes = new Map(rows.executionChanges?.map((change) => [change.execution_id, change]));
  const own = (rows.executions ?? []).filter((row) => row.parent_execution_id === undefined);
  const added = own.map(({ execution_id, stage_id, agent_name, agent_index }): ExecutionState => ({
    execution_id,
    stage_id,
    session_id: sessionId,
    agent_name,
    agent_index,
    status: "pending",
    error_message: null,
    error_code: null,
    actions_claimed: null,
  }));
  return [...executions, ...added].map((execution) =>
    foldExecution(execution, changes.get(execution.execution_id)),
  );
}

/** Keeps, as the load does, of each stage only the newest answer of its last execution that has one. */
function foldAnswers(state: SessionState, rows: StepRows): ReadonlyMap<string, string> {
  const found = [...(rows.timeline ?? []), ...(rows.timelineEnds ?? [])].filter(
    ({ event_type, status }) => event_type === "final_analysis" && status === "completed",
  );
  if (found.length === 0) return state.answers;
  const answers = new Map(state.answers);
  for (const { execution_id, content } of found) {
    if (state.subAgents.some((child) => child.execution_id === execution_id)) continue;
    const author = state.executions.find((execution) => execution.execution_id === execution_id);
    const others = state.executions.filter(
      (other) => other.stage_id === author?.stage_id && answers.has(other.execution_id),
    );
    if (others.some(({ agent_index }) => agent_index > (author?.agent_index ?? 0))) continue;
    for (const other of others) answers.delete(other.execution_id);
    answers.set(execution_id, content);
  }
  return answers;
}
