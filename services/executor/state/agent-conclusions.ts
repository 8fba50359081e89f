import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { CONCLUSIONS } from "#shared/database/tables/conclusions.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";

const AgentConclusion = Type.Object({
  ...rowMembers(CONCLUSIONS, "execution_id", "status", "stated_status", "body", "checked", "claims_verified"),
});
/** What an agent concluded as data, and what became of its quotes. */
export type AgentConclusion = Static<typeof AgentConclusion>;

const parseConclusion = compileParser("conclusion of an agent", AgentConclusion);

const READ = `
SELECT DISTINCT ON (execution_id) execution_id, status, stated_status, body, checked, claims_verified FROM conclusions
WHERE execution_id = ANY($1::uuid[]) ORDER BY execution_id, attempt DESC`;

/** Reads the conclusion of each of these executions that counts; none of one that stated nothing. Throws database errors. */
export async function readAgentConclusions(
  db: Queryable,
  executionIds: readonly string[],
): Promise<AgentConclusion[]> {
  return selectRows(db, parseConclusion, READ, [executionIds]);
}
