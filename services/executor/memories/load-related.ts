import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { anyWordOf } from "./any-word-of.ts";
import { parseRankedMemory, type RankedMemory } from "./load-briefing.ts";
import { rankMemories } from "./rank-memories.ts";

const RELATED = `
WITH asking AS (
  SELECT session_id, owner_subject, teams, $2 || ' ' || coalesce(final_analysis, '') || ' ' || alert_data AS words
  FROM alert_sessions WHERE session_id = $1
), query AS (SELECT ${anyWordOf("asking.words", "asking")} AS words)
${rankMemories("$3", { includesOwn: true })}`;

/** The memories nearest to a session and to what was said about it, best first, also its own: what is known need not be learned again. */
export async function loadRelated(
  { db, sessionId }: { readonly db: Queryable; readonly sessionId: string },
  text: string,
  { reflector_memory_limit: limit }: { readonly reflector_memory_limit: number },
): Promise<RankedMemory[]> {
  return selectRows(db, parseRankedMemory, RELATED, [sessionId, text, limit]);
}
