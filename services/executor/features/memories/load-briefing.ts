import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { anyWordOf } from "./any-word-of.ts";
import { queryVector, type Asking } from "./query-vector.ts";
import { selectRanked, type RankedMemory } from "./select-ranked.ts";

const ALERT = "alert_data || ' ' || coalesce(alert_type, '')";
const GIVEN = `
WITH asking AS (
  SELECT session_id, owner_subject, teams, ${ALERT} AS alert FROM alert_sessions WHERE session_id = $1
), query AS (SELECT ${anyWordOf("asking.alert", "asking")} AS words)`;

const READ = `SELECT left(${ALERT}, 10000) AS alert FROM alert_sessions WHERE session_id = $1`;
const parseAlert = compileParser("beginning of an alert", Type.Object({ alert: Type.String() }));

/**
 * The memories that an agent of a session is told at its start, best first: those nearest to the alert. Throws database errors and the
 * signal's reason.
 */
export async function loadBriefing(
  session: Asking,
  memory: Pick<NonNullable<ResolvedChain["memory"]>, "max_inject" | "embedding">,
): Promise<RankedMemory[]> {
  const { db, sessionId } = session;
  const [found] = await selectRows(db, parseAlert, READ, [sessionId]);
  const vector = await queryVector(session, memory, found?.alert ?? "");
  return selectRanked(db, { given: GIVEN, values: [sessionId], limit: memory.max_inject }, vector);
}
