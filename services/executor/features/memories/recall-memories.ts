import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { anyWordOf } from "./any-word-of.ts";
import { queryVector, type Asking } from "./query-vector.ts";
import { selectRanked, type RankedMemory } from "./select-ranked.ts";

const GIVEN = `
WITH asking AS (SELECT session_id, owner_subject, teams FROM alert_sessions WHERE session_id = $1),
query AS (SELECT ${anyWordOf("$2::text")} AS words)`;

/** The memories nearest to a query that a session may be told, best first. Throws database errors and the signal's reason. */
export async function recallMemories(
  session: Asking,
  { query, limit }: { readonly query: string; readonly limit: number },
  memory: Pick<NonNullable<ResolvedChain["memory"]>, "embedding">,
): Promise<RankedMemory[]> {
  const { db, sessionId } = session;
  const vector = await queryVector(session, memory, query);
  return selectRanked(db, { given: GIVEN, values: [sessionId, query], limit }, vector);
}
