import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { MAX_TOTAL } from "./list-sessions.ts";
import { searchList, type SearchRequest } from "./search-list.ts";

/** Of a term that more of the sessions have, MAX_TOTAL hits are found faster by testing sessions than all hits by the indexes. */
const OFTEN = 0.3;

const parseTotal = compileParser("number of found sessions", Type.Object({ n: Type.Integer() }));

/**
 * Counts the hits of a search, up to MAX_TOTAL + 1. `share` is the part of the sessions that are thought to be hits. Takes up to some
 * seconds for 100,000 sessions; rejects if that is longer than the database allows.
 */
export async function countHits(db: Queryable, request: SearchRequest, share: number): Promise<number> {
  const { parameters, where, condition } = searchList(request);
  const isHit =
    share < OFTEN && condition.isIndexed ? `s.session_id IN (${condition.candidates()})` : condition.isHit();
  const [total] = await selectRows(
    db,
    parseTotal,
    `SELECT count(*)::int AS n FROM (
       SELECT FROM alert_sessions s WHERE ${[...where, isHit].join(" AND ")} LIMIT ${MAX_TOTAL + 1}
     ) AS found`,
    parameters.values,
  );
  return total?.n ?? 0;
}
