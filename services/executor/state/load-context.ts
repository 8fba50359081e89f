import { findContextBlock } from "#shared/contracts/context-block.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionClock, SessionTools } from "../core/session-parts.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { AlertInput } from "../prompts/prompt-input.ts";
import type { ExecutionState, StageState } from "./session-state.ts";
import { contextBlock } from "../prompts/context-block.ts";

/** The session of the agent. */
interface ContextRequest {
  readonly db: Queryable;
  readonly sessionId: string;
  readonly tools: Pick<SessionTools, "source">;
  readonly clock: Pick<SessionClock, "now" | "holidays">;
}

/** The agent that gets the context. */
interface OpeningAgent {
  readonly execution: Pick<ExecutionState, "execution_id" | "agent_index">;
  readonly stage: { readonly row: Pick<StageState, "stage_index"> };
  readonly alert: Pick<AlertInput, "data">;
  /** The task of a sub-agent. */
  readonly task?: string;
}

/**
 * The text about the present time for an agent whose conversation opens. In a fork with recorded tools it is the time
 * of the session that the fork comes from, because that is when their results were true. Throws database errors.
 */
export async function loadContext(session: ContextRequest, agent: OpeningAgent): Promise<string> {
  const { now, holidays } = session.clock;
  const recordedMs = session.tools.source === "recorded" ? await recordedTime(session, agent) : undefined;
  return contextBlock(new Date(recordedMs ?? now()), { holidays, alertData: agent.alert.data });
}

/** The first user message of the parent's agent at the same place, else of the one that began first. */
const READ = `
SELECT opening.role, opening.content, (extract(epoch FROM parent.created_at) * 1000)::float8 AS created_ms
FROM alert_sessions fork JOIN alert_sessions parent ON parent.session_id = fork.forked_from
  LEFT JOIN LATERAL (
    SELECT m.role, m.content FROM messages m JOIN agent_executions e USING (execution_id) JOIN stages s ON s.stage_id = e.stage_id
    WHERE m.session_id = parent.session_id AND m.sequence_number = 2
    ORDER BY (s.stage_index = $2 AND e.agent_index = $3 AND (e.parent_execution_id IS NULL) = $4) DESC, m.created_at
    LIMIT 1) opening ON true
WHERE fork.session_id = $1`;
const parseParent = compileParser(
  "time of a forked session",
  Type.Object({
    role: Type.Union([Type.String(), Type.Null()]),
    content: Type.Union([Type.String(), Type.Null()]),
    created_ms: Type.Number(),
  }),
);

/** When the session that a fork comes from ran, in milliseconds since the epoch; undefined if the session is no fork. */
async function recordedTime(
  { db, sessionId }: ContextRequest,
  { stage, execution, task }: OpeningAgent,
): Promise<number | undefined> {
  const place = [stage.row.stage_index, execution.agent_index, task === undefined];
  const [parent] = await selectRows(db, parseParent, READ, [sessionId, ...place]);
  if (parent === undefined) return undefined;
  const { role, content, created_ms } = parent;
  const found = role === null || content === null ? undefined : findContextBlock([{ role, content }]);
  return found?.nowMs ?? created_ms;
}
