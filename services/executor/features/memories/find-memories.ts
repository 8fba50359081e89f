import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { type QueryVector, queryVector, type Asking } from "./query-vector.ts";
import { RankedMemory } from "../../core/agent-state.ts";
import { rankMemories } from "./rank-memories.ts";
import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";

const parseRankedMemory = compileParser("ranked memory", RankedMemory);

interface RankedQuery {
  /** The CTEs `asking` and `query`, as `rankMemories` needs them. */
  readonly given: string;
  /** Its parameters. */
  readonly values: readonly unknown[];
  readonly limit: number;
  readonly includesOwn?: boolean;
}

/**
 * The memories that a session may get, best first; by their words alone if `vector` is null. Throws database errors.
 */
async function selectRanked(
  db: Queryable,
  { given, values, limit, includesOwn = false }: RankedQuery,
  vector: QueryVector | null,
): Promise<RankedMemory[]> {
  const next = (index: number) => `$${values.length + index}`;
  const near = vector === null ? {} : { near: { vector: next(2), model: next(3) } };
  const sql = `${given}${rankMemories({ limit: next(1), includesOwn, ...near })}`;
  const more = vector === null ? [] : [vector.vector, vector.model];
  return selectRows(db, parseRankedMemory, sql, [...values, limit, ...more]);
}

/** More words than this tell no more about what a text is about. */
const MAX_WORDS = 300;
/** Far below what Postgres can index. */
const MAX_CHARACTERS = 50_000;

/**
 * An SQL subquery with the tsquery of memories that have any of the first words of a text, without those that every English text
 * has; null if it has no word. `text` is an SQL expression, `from` the FROM clause that it needs, or empty.
 */
function anyWordOf(text: string, from = ""): string {
  const quoted = String.raw`'''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''''`;
  return `(
  SELECT string_agg(${quoted}, ' | ')::tsquery FROM (
    SELECT word.lexeme FROM ${from === "" ? "" : `${from}, `}unnest(to_tsvector('simple', left(${text}, ${MAX_CHARACTERS}))) AS word
    WHERE ts_lexize('english_stem', word.lexeme) <> '{}' ORDER BY word.positions[1] LIMIT ${MAX_WORDS}
  ) AS words)`;
}

const ALERT_TEXT = "alert_data || ' ' || coalesce(alert_type, '')";
const NEAR_ALERT = `
WITH asking AS (
  SELECT session_id, owner_subject, teams, ${ALERT_TEXT} AS alert FROM alert_sessions WHERE session_id = $1
), query AS (SELECT ${anyWordOf("asking.alert", "asking")} AS words)`;

const ALERT_BEGINNING = `SELECT left(${ALERT_TEXT}, 10000) AS alert FROM alert_sessions WHERE session_id = $1`;
const parseAlert = compileParser("beginning of an alert", Type.Object({ alert: Type.String() }));

/**
 * The memories that an agent of a session gets at its start, best first: those nearest to the alert. Throws database
 * errors and the signal's reason.
 */
export async function loadBriefing(
  session: Asking,
  memory: Pick<NonNullable<ResolvedChain["memory"]>, "max_inject" | "embedding">,
): Promise<RankedMemory[]> {
  const { db, sessionId } = session;
  const [found] = await selectRows(db, parseAlert, ALERT_BEGINNING, [sessionId]);
  const vector = await queryVector(session, memory, found?.alert ?? "");
  return selectRanked(db, { given: NEAR_ALERT, values: [sessionId], limit: memory.max_inject }, vector);
}

const NEAR_ANALYSIS = `
WITH asking AS (
  SELECT session_id, owner_subject, teams, $2 || ' ' || coalesce(final_analysis, '') || ' ' || alert_data AS words
  FROM alert_sessions WHERE session_id = $1
), query AS (SELECT ${anyWordOf("asking.words", "asking")} AS words)`;

/**
 * The memories nearest to a session and to what was said about it, best first, also its own: no lesson need be learned twice.
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
  return selectRanked(
    db,
    { given: NEAR_ANALYSIS, values: [sessionId, text], limit, includesOwn: true },
    vector,
  );
}

const NEAR_QUERY = `
WITH asking AS (SELECT session_id, owner_subject, teams FROM alert_sessions WHERE session_id = $1),
query AS (SELECT ${anyWordOf("$2::text")} AS words)`;

/**
 * The memories nearest to a query that a session may get, best first. Throws database errors and the signal's reason.
 */
export async function recallMemories(
  session: Asking,
  { query, limit }: { readonly query: string; readonly limit: number },
  memory: Pick<NonNullable<ResolvedChain["memory"]>, "embedding">,
): Promise<RankedMemory[]> {
  const { db, sessionId } = session;
  const vector = await queryVector(session, memory, query);
  return selectRanked(db, { given: NEAR_QUERY, values: [sessionId, query], limit }, vector);
}
