import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { anyWordOf } from "./any-word-of.ts";
import { parseRankedMemory, type RankedMemory } from "./load-briefing.ts";
import { rankMemories } from "./rank-memories.ts";

const RECALLED = `
WITH asking AS (SELECT session_id, owner_subject, teams FROM alert_sessions WHERE session_id = $1),
query AS (SELECT ${anyWordOf("$2::text")} AS words)
${rankMemories("$3")}`;

/** The memories nearest to a query that a session may be told, best first. Throws database errors. */
export async function recallMemories(
  { db, sessionId }: { readonly db: Queryable; readonly sessionId: string },
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<RankedMemory[]> {
  return selectRows(db, parseRankedMemory, RECALLED, [sessionId, query, limit]);
}
