import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { INVESTIGATION_MEMORIES } from "#shared/database/tables/memories.ts";
import type { RankedMemory } from "../../core/agent-state.ts";

/** Bounds the walk through forks of forks. */
const MAX_LINE = 100;

/**
 * The agent at the same place of the nearest session, among those that session $1 comes from, in which it has begun;
 * and the memories that it got. Those that work on an ended session have places of their own.
 */
const READ = `
WITH RECURSIVE line AS (
  SELECT forked_from AS session_id, 1 AS distance FROM alert_sessions WHERE session_id = $1
  UNION ALL
  SELECT s.forked_from, line.distance + 1 FROM line JOIN alert_sessions s USING (session_id) WHERE line.distance < ${MAX_LINE})
SELECT coalesce(t.content, '') AS lines, coalesce(t.metadata -> 'memory_ids', '[]') AS ids
FROM line JOIN stages s ON s.session_id = line.session_id AND s.stage_index = $2
  JOIN agent_executions e ON e.stage_id = s.stage_id AND e.agent_index = $3 AND e.parent_execution_id IS NULL
  LEFT JOIN timeline_events t ON t.execution_id = e.execution_id AND t.event_type = 'memory_injected'
WHERE s.stage_type NOT IN ('chat', 'scoring') AND EXISTS (SELECT FROM messages m WHERE m.execution_id = e.execution_id)
ORDER BY line.distance LIMIT 1`;

const parseBriefing = compileParser(
  "briefing of an agent",
  Type.Object({ lines: Type.String(), ids: Type.Array(Type.String()) }),
);
const parseMemory = compileParser(
  "memory of a briefing",
  Type.Object(rowMembers(INVESTIGATION_MEMORIES, "category", "valence", "confidence", "content")),
);

/** A line of `memoryLines`. */
const LINE =
  /^\d+\. \((?<category>\w+), (?<valence>\w+), confidence (?<confidence>[\d.]+)\) (?<content>.*)$/u;

/**
 * The memories of the agent of a fork, in place of today's: the same as those of the agent at its place in the session
 * that the fork comes from, word for word. Those of today may have been learned from that session itself, and would
 * make any two forks differ. Undefined if the session is no fork, or no such agent has begun or is left. Throws
 * database errors.
 */
export async function loadInherited(
  { db, sessionId }: { readonly db: Queryable; readonly sessionId: string },
  { stage_index, agent_index }: { readonly stage_index: number; readonly agent_index: number },
): Promise<RankedMemory[] | undefined> {
  const [briefing] = await selectRows(db, parseBriefing, READ, [sessionId, stage_index, agent_index]);
  if (briefing === undefined) return undefined;
  const lines = briefing.lines.split("\n").filter((line) => line !== "");
  const memories = lines.flatMap((line, index) => {
    const { confidence, ...members } = LINE.exec(line)?.groups ?? {};
    const memory_id = briefing.ids[index];
    if (confidence === undefined || memory_id === undefined) return [];
    return [{ memory_id, ...parseMemory({ ...members, confidence: Number(confidence) }), alert_type: null }];
  });
  return memories.length === briefing.ids.length ? memories : undefined;
}
