import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { RUN_STATUSES, SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";

const Row = Type.Object({
  status: literals(SESSION_STATUSES),
  interactions: Type.Array(Type.String()),
  executions: Type.Array(Type.Object({ execution_id: Type.String(), status: literals(RUN_STATUSES) })),
  asked: Type.Array(Type.String()),
  follow_ups: Type.Array(Type.String()),
});
const parseRow = compileParser("state of a replay", Row);

const READ = `
SELECT s.status,
  (SELECT coalesce(json_agg(interaction_id), '[]') FROM (
     SELECT interaction_id FROM llm_interactions WHERE session_id = $1
     UNION ALL SELECT interaction_id FROM mcp_interactions WHERE session_id = $1) i) AS interactions,
  (SELECT coalesce(json_agg(json_build_object('execution_id', execution_id, 'status', status)), '[]')
   FROM agent_executions WHERE session_id = $1) AS executions,
  (SELECT coalesce(json_agg(approval_id), '[]') FROM approvals
   WHERE session_id = $1 AND state = 'awaiting_approval') AS asked,
  (SELECT coalesce(json_agg(follow_up_id), '[]') FROM follow_ups
   WHERE session_id = $1 AND status IN ('pending', 'active')) AS follow_ups
FROM alert_sessions s WHERE session_id = $1`;

/** What a replayed session has committed. */
export interface ReplayState {
  readonly status: Static<typeof Row>["status"];
  /** The ids of the calls of models and tools that are recorded. */
  readonly interactions: ReadonlySet<string>;
  /** The status of each execution. */
  readonly executions: ReadonlyMap<string, Static<typeof Row>["executions"][number]["status"]>;
  /** The questions without a decision. */
  readonly asked: readonly string[];
  /** Those that are open. */
  readonly followUps: readonly string[];
}

export const NOTHING_COMMITTED: ReplayState = {
  status: "pending",
  interactions: new Set(),
  executions: new Map(),
  asked: [],
  followUps: [],
};

/** Reads what a replayed session has committed. Throws database errors. */
export async function readReplayState(db: Queryable, sessionId: string): Promise<ReplayState> {
  const [row] = await selectRows(db, parseRow, READ, [sessionId]);
  if (row === undefined) throw new TerminalError("not_found", `session ${sessionId} was not imported`);
  return {
    status: row.status,
    interactions: new Set(row.interactions),
    executions: new Map(row.executions.map(({ execution_id, status }) => [execution_id, status])),
    asked: row.asked,
    followUps: row.follow_ups,
  };
}
