import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** The agents of session $1 in the order in which they were started, as a part of a WITH. Later ones do not change it. */
export const AGENT_ORDINALS = `agents AS (
  SELECT execution_id, agent_name, (row_number() OVER (ORDER BY seq, agent_index))::int AS ordinal
  FROM agent_executions WHERE session_id = $1)`;

/** The name of an agent's results before the "/": replicas share a name, so it has a number. */
export function agentHandle(agent: { readonly agent_name: string; readonly ordinal: number }): string {
  return `${agent.agent_name.replaceAll(/\s+/gu, "-")}#${agent.ordinal}`;
}

const parseAgent = compileParser(
  "started agent",
  Type.Object({ execution_id: Uuid, agent_name: Type.String(), ordinal: Type.Integer() }),
);

/** The handles of a session's agents, by execution. Throws database errors. */
export async function readAgentHandles({
  db,
  sessionId,
}: {
  readonly db: Queryable;
  readonly sessionId: string;
}): Promise<ReadonlyMap<string, string>> {
  const agents = await selectRows(db, parseAgent, `WITH ${AGENT_ORDINALS} SELECT * FROM agents`, [sessionId]);
  return new Map(agents.map((agent) => [agent.execution_id, agentHandle(agent)]));
}

const HANDLE = /^(?:Observation: )?(?<handle>\[r\d+\]\n)/u;
const OBSERVATION = "Observation: ";

/** A tool's message that begins with the handle of its result. */
export function withHandle(content: string, handle: string): string {
  const isObservation = content.startsWith(OBSERVATION);
  return isObservation
    ? `${OBSERVATION}${handle}${content.slice(OBSERVATION.length)}`
    : `${handle}${content}`;
}

/** The handle of a result as its message begins with it, with its line break; "" without one. */
export function handleOf(content: string): string {
  return HANDLE.exec(content)?.groups?.["handle"] ?? "";
}

/** The handle of the result with this number. */
export function numberedHandle(number: number): string {
  return `[r${number}]\n`;
}
