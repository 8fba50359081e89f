import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { parseResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { RUN_STATUSES, SESSION_STATUSES, SUCCESS_POLICIES } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Database } from "#shared/database/database.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

/** The columns of a stage's row that decide the session's next step. */
const StageState = Type.Object({
  stage_id: Uuid,
  session_id: Uuid,
  stage_name: Type.String(),
  stage_index: Type.Integer(),
  success_policy: Type.Union([literals(SUCCESS_POLICIES), Type.Null()]),
  status: literals(RUN_STATUSES),
  error_message: TextOrNull,
  error_code: TextOrNull,
});
export type StageState = Static<typeof StageState>;

/** The columns of an execution's row that decide the session's next step. */
const ExecutionState = Type.Object({
  execution_id: Uuid,
  stage_id: Uuid,
  session_id: Uuid,
  agent_name: Type.String(),
  agent_index: Type.Integer(),
  status: literals(RUN_STATUSES),
  error_message: TextOrNull,
  error_code: TextOrNull,
});
export type ExecutionState = Static<typeof ExecutionState>;

/** Everything that decides the session's next step. */
export interface SessionState {
  readonly status: (typeof SESSION_STATUSES)[number];
  readonly chain: ResolvedChain;
  /** Ordered by stage_index. */
  readonly stages: readonly StageState[];
  /** Ordered by agent_index, across stages. */
  readonly executions: readonly ExecutionState[];
  /** Completed final analyses by execution id: for each stage only that of the last execution that has one. */
  readonly answers: ReadonlyMap<string, string>;
}

const parseRow = compileParser(
  "session state",
  Type.Object({
    status: literals(SESSION_STATUSES),
    resolved_config: Type.Unknown(),
    stages: Type.Array(StageState),
    executions: Type.Array(ExecutionState),
    answers: Type.Array(Type.Object({ execution_id: Uuid, content: Type.String() })),
  }),
);

/**
 * One statement, because it runs before every step of the session. A stage of a hundred agents has a hundred answers,
 * each perhaps a megabyte: only the answer that represents its stage is read.
 */
const LOAD = `
SELECT s.status, s.resolved_config,
  (SELECT coalesce(json_agg(x ORDER BY x.stage_index), '[]') FROM (
     SELECT stage_id, session_id, stage_name, stage_index, success_policy, status, error_message, error_code
     FROM stages WHERE session_id = s.session_id) x) AS stages,
  (SELECT coalesce(json_agg(x ORDER BY x.agent_index), '[]') FROM (
     SELECT execution_id, stage_id, session_id, agent_name, agent_index, status, error_message, error_code
     FROM agent_executions WHERE session_id = s.session_id) x) AS executions,
  (SELECT coalesce(json_agg(x), '[]') FROM (
     SELECT DISTINCT ON (e.stage_id) execution_id, content FROM timeline_events t JOIN agent_executions e USING (execution_id)
     WHERE t.session_id = s.session_id AND event_type = 'final_analysis' AND t.status = 'completed'
     ORDER BY e.stage_id, agent_index DESC, sequence_number DESC) x) AS answers
FROM alert_sessions s WHERE s.session_id = $1`;

/**
 * Reads a session's rows, without the alert and the conversations. Throws TerminalError `not_found` if the session does
 * not exist, or the parser's error if its stored chain is malformed or of a newer version.
 */
export async function loadSession(db: Database, sessionId: string): Promise<SessionState> {
  const [row] = await selectRows(db, parseRow, LOAD, [sessionId]);
  if (row === undefined) throw new TerminalError("not_found", `session ${sessionId} does not exist`);
  const { status, stages, executions, answers } = row;
  return {
    status,
    chain: parseResolvedChain(row.resolved_config),
    stages,
    executions,
    answers: new Map(answers.map(({ execution_id, content }) => [execution_id, content])),
  };
}
