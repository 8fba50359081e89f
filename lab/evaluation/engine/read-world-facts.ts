import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { WorldFacts } from "../results/cell-facts.ts";

/** A session's conclusion is its newest one. */
const READ = `
WITH found AS (SELECT tool, match, count(*)::int AS calls FROM world_calls WHERE session_id = $1 GROUP BY tool, match),
concluded AS (
  SELECT status, body, checked, claims_total, claims_verified FROM conclusions WHERE session_id = $1 ORDER BY seq DESC, attempt DESC LIMIT 1)
SELECT (SELECT jsonb_build_object('status', status, 'body', body, 'checked', checked) FROM concluded) AS conclusion,
  coalesce((SELECT claims_total FROM concluded), 0) AS claims, coalesce((SELECT claims_verified FROM concluded), 0) AS verified_claims,
  coalesce((SELECT sum(calls) FROM found), 0)::int AS calls,
  coalesce((SELECT jsonb_object_agg(tool, calls) FROM found WHERE match = 'miss'), '{}') AS misses,
  coalesce((SELECT sum(calls) FROM found WHERE match = 'absent'), 0)::int AS absent,
  (SELECT count(*)::int FROM mcp_interactions WHERE session_id = $1 AND outcome ->> 'kind' = 'unknown_tool') AS unknown_tools,
  (SELECT count(*)::int FROM masked_values WHERE session_id = $1) AS masked`;
const parseFacts = compileParser("facts of a world", WorldFacts);

/** What else is known of a session that a world has answered. Throws database errors. */
export async function readWorldFacts(db: Queryable, sessionId: string): Promise<WorldFacts> {
  const [facts] = await selectRows(db, parseFacts, READ, [sessionId]);
  if (facts === undefined) throw new Error(`there is no session ${sessionId}`);
  return facts;
}
