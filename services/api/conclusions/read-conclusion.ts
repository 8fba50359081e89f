import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { CONCLUSIONS } from "#shared/database/tables/conclusions.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { isoText } from "#shared/database/iso-text.ts";

const Stored = Type.Object({
  ...rowMembers(CONCLUSIONS, "execution_id", "attempt", "contract", "rules", "status", "stated_status"),
  ...rowMembers(CONCLUSIONS, "confidence", "body", "remarks", "checked", "claims_verified", "claims_total"),
  agent_name: Type.String(),
  created_at: Type.String(),
});
export type StoredConclusion = Static<typeof Stored>;
const parseStored = compileParser("stored conclusion", Stored);

/** The order that makes the first row of a session its conclusion: that of the agent that was the last one to state any. */
export const NEWEST_CONCLUSION = "ORDER BY c.seq DESC, c.attempt DESC LIMIT 1";

/** Reads the conclusion of a session; null if it has none. Throws database errors. */
export async function readConclusion(db: Queryable, sessionId: string): Promise<StoredConclusion | null> {
  const [row] = await selectRows(
    db,
    parseStored,
    `SELECT c.execution_id, c.attempt, c.contract, c.rules, c.status, c.stated_status, c.confidence, c.body, c.remarks, c.checked,
       c.claims_verified, c.claims_total, e.agent_name, ${isoText("c.created_at")} AS created_at
     FROM conclusions c JOIN agent_executions e USING (execution_id) WHERE c.session_id = $1 ${NEWEST_CONCLUSION}`,
    [sessionId],
  );
  return row ?? null;
}

const Quoted = Type.Object({
  ...rowMembers(CONCLUSIONS, "body"),
  entries: Type.Record(Type.String(), Type.String()),
});
export type Quoted = Static<typeof Quoted>;
const parseQuoted = compileParser("what a conclusion quotes", Quoted);

const QUOTED = `
SELECT (SELECT body FROM conclusions WHERE execution_id = $1 AND attempt = 1) AS body,
  (SELECT coalesce(json_object_agg(mcp_interaction_id, event_id), '{}') FROM timeline_events
   WHERE session_id = $2 AND event_type = 'llm_tool_call' AND mcp_interaction_id = ANY($3::uuid[])) AS entries`;

/**
 * Reads what else a conclusion refers to: as `body` what its agent stated first, null if that could not be read, and as `entries` the
 * timeline entry of each quoted call, by the call's record. Throws database errors.
 */
export async function readQuoted(
  db: Queryable,
  sessionId: string,
  { execution_id, checked }: StoredConclusion,
): Promise<Quoted> {
  const calls = checked.flatMap(({ interaction_id }) => interaction_id ?? []);
  const [row] = await selectRows(db, parseQuoted, QUOTED, [execution_id, sessionId, calls]);
  return row ?? { body: null, entries: {} };
}
