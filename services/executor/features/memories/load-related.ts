import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { anyWordOf } from "./any-word-of.ts";
import { queryVector, type Asking } from "./query-vector.ts";
import { selectRanked, type RankedMemory } from "./select-ranked.ts";

const GIVEN = `
WITH asking AS (
  SELECT session_id, owner_subject, teams, $2 || ' ' || coalesce(final_analysis, '') || ' ' || alert_data AS words
  FROM alert_sessions WHERE session_id = $1
), query AS (SELECT ${anyWordOf("asking.words", "asking")} AS words)`;

/**
 * The memories nearest to a session and to what was said about it, best first, also its own: what is known need not be learned again.
 * Throws database errors and the signal's reason.
 */
export async function loadRelated(
  session: Asking,
  text: string,
  memory: Pick<NonNullable<ResolvedChain["memory"]>, "reflector_memory_limit" | "embedding">,
): Promise<RankedMemory[]> {
  const { db, sessionId } = session;
  const vector = await queryVector(session, memory, text);
  const { reflector_memory_limit: limit } = memory;
  return selectRanked(db, { given: GIVEN, values: [sessionId, text], limit, includesOwn: true }, vector);
}
