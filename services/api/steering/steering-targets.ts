import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { AGENT_EXECUTIONS } from "#shared/database/tables/agent-executions.ts";
import { validationError } from "../http/request-error.ts";

const Execution = Type.Object({
  ...rowMembers(AGENT_EXECUTIONS, "execution_id", "agent_name", "parent_execution_id"),
  ...rowMembers(AGENT_EXECUTIONS, "status", "agent_index"),
  stage_index: Type.Integer(),
});
const parseExecution = compileParser("execution", Execution);

const EXECUTIONS = `
SELECT e.execution_id, e.agent_name, e.parent_execution_id, e.status, s.stage_index, e.agent_index
FROM agent_executions e JOIN stages s USING (stage_id)
WHERE e.session_id = $1 ORDER BY s.stage_index, e.agent_index`;

/** Whom a message is for. */
interface SteeringTargets {
  /** The executions; null for those that start next, after the last one that there is. */
  readonly executions: readonly string[] | null;
  /** The stage and the index of the last execution that there is; 0 and 0 before the first. */
  readonly after: { readonly stage: number; readonly agent: number };
}

/**
 * The executions that a message is for: the one that is addressed, which may be a sub-agent, else all
 * that have not ended and are no sub-agents: these work for an agent that reads the message itself. To be read under the lock of the
 * session's runtime row, under which executions begin and end. Throws RequestError 400 for an unknown execution and for one that
 * has ended.
 */
export async function steeringTargets(
  transaction: Queryable,
  sessionId: string,
  addressed: string | null,
): Promise<SteeringTargets> {
  const executions = await selectRows(transaction, parseExecution, EXECUTIONS, [sessionId]);
  const agents = executions.filter(({ parent_execution_id: parent }) => parent === null);
  const last = agents.at(-1);
  const after = { stage: last?.stage_index ?? 0, agent: last?.agent_index ?? 0 };
  const open = agents.filter(({ status }) => !isTerminal(status));
  if (addressed !== null) return { executions: [openOne(executions, addressed)], after };
  return { executions: open.length === 0 ? null : open.map(({ execution_id }) => execution_id), after };
}

function openOne(executions: readonly Static<typeof Execution>[], addressed: string): string {
  const found = executions.find(({ execution_id }) => execution_id === addressed.toLowerCase());
  if (found === undefined) throw validationError("execution_id", "is no execution of this session");
  if (isTerminal(found.status)) {
    throw validationError("execution_id", `agent "${found.agent_name}" has ended: it is ${found.status}`);
  }
  return found.execution_id;
}
