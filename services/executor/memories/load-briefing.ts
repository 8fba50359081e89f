import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { MEMORY_CATEGORIES, MEMORY_VALENCES } from "#shared/contracts/memory.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { anyWordOf } from "./any-word-of.ts";
import { rankMemories } from "./rank-memories.ts";

const RankedMemory = Type.Object({
  memory_id: Type.String(),
  content: Type.String(),
  category: literals(MEMORY_CATEGORIES),
  valence: literals(MEMORY_VALENCES),
  confidence: Type.Number(),
  alert_type: Type.Union([Type.String(), Type.Null()]),
});
/** What was learned from an earlier session. */
export type RankedMemory = Static<typeof RankedMemory>;

/** Reads a row of `rankMemories`. */
export const parseRankedMemory = compileParser("ranked memory", RankedMemory);

const BRIEFING = `
WITH asking AS (
  SELECT session_id, owner_subject, teams, alert_data || ' ' || coalesce(alert_type, '') AS alert
  FROM alert_sessions WHERE session_id = $1
), query AS (SELECT ${anyWordOf("asking.alert", "asking")} AS words)
${rankMemories("$2")}`;

/** The memories that an agent of a session is told at its start, best first: those nearest to the alert. Throws database errors. */
export async function loadBriefing(
  { db, sessionId }: { readonly db: Queryable; readonly sessionId: string },
  { max_inject: limit }: { readonly max_inject: number },
): Promise<RankedMemory[]> {
  return selectRows(db, parseRankedMemory, BRIEFING, [sessionId, limit]);
}
