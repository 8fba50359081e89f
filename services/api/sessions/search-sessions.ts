import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import type { ListMemory, SearchSample } from "./list-memory.ts";
import { MAX_TOTAL, listKey, type SessionPage, type ListRequest } from "./list-sessions.ts";
import type { PageEnds } from "./page-ends.ts";
import { SearchCondition } from "./search-condition.ts";
import { sessionConditions } from "./session-conditions.ts";
import { PAGE_COLUMNS, sessionOrder, type SessionOrder } from "./session-order.ts";
import { SqlParameters } from "./sql-parameters.ts";
import { visibleTo } from "./visible-to.ts";

/** Sessions at the beginning of the list that show how common a term is. */
const SAMPLE = 200;
/** Of a term that at least this part of them has, a page is found faster by walking the list than by the indexes. */
const COMMON = 0.05;
/** A term with more hits of a kind is common too: a request reads and sorts this many at most. */
const MAX_CANDIDATES = 2_000;
/** A request walks over this many sessions at most, beginning where the page before ended. */
const MAX_WALKED = 100_000;
/** Of a term that the indexes do not have, nothing says how rare it is. */
const MAX_WALKED_UNINDEXED = 10_000;

const Key = Type.Object({
  session_id: Type.String(),
  created_at: Type.String(),
  key: Type.Union([Type.String(), Type.Null()]),
});
type Key = Static<typeof Key>;
const parseKey = compileParser("keys of a found session", Key);
const parseSample = compileParser(
  "sample of sessions",
  Type.Object({ hits: Type.Integer(), walked: Type.Integer() }),
);
const parseCandidate = compileParser("candidate of a search", Type.Object({ session_id: Type.String() }));
const parseTotal = compileParser("number of found sessions", Type.Object({ n: Type.Integer() }));

/**
 * A page of the sessions that the caller may see and that have the search's term. A rare term is found by the indexes. A common
 * one is looked for session by session in the order of the list, which ends with the page; its hits are counted meanwhile, and
 * until that is done the total is what is certain.
 */
export async function searchSessions(
  db: Queryable,
  request: SearchRequest,
  memory: ListMemory,
): Promise<SessionPage> {
  const list = listKey(request);
  const sample = await memory.sample(list, SAMPLE, async () => readSample(db, request));
  const share = sample.hits / Math.max(1, sample.walked);
  const isWhole = sample.walked < SAMPLE;
  if (!isWhole && share < COMMON && !memory.isCounted(list)) {
    const candidates = await findCandidates(db, request);
    if (candidates !== undefined) return pageOfCandidates(db, request, candidates);
  }
  const counted = isWhole
    ? Promise.resolve(sample.hits)
    : memory.total(list, async () => countHits(db, request, share));
  const page = await walk(db, request, memory.pageEnds);
  return { ids: page.ids, ...totalOf(request, page, await counted) };
}

/** How many of the first sessions of the list are hits. */
async function readSample(db: Queryable, request: SearchRequest): Promise<SearchSample> {
  const { parameters, where, order, condition } = searchList(request);
  const first = order.rows({ where, end: undefined, limit: SAMPLE }, (value) => parameters.add(value));
  const [found] = await selectRows(
    db,
    parseSample,
    `SELECT count(*) FILTER (WHERE is_hit)::int AS hits, count(*)::int AS walked
     FROM (SELECT ${condition.isHit()} AS is_hit FROM ${first} LIMIT ${SAMPLE}) AS sample`,
    parameters.values,
  );
  return found ?? { hits: 0, walked: 0 };
}

/** The ids that the indexes find, of sessions of every caller; undefined if there are too many for that. */
async function findCandidates(db: Queryable, request: SearchRequest): Promise<readonly string[] | undefined> {
  const parameters = new SqlParameters();
  const condition = new SearchCondition(request.term, parameters);
  if (!condition.isIndexed) return undefined;
  const sql = condition.candidates(MAX_CANDIDATES + 1);
  const found = await selectRows(db, parseCandidate, sql, parameters.values);
  return found.length > MAX_CANDIDATES ? undefined : found.map(({ session_id }) => session_id);
}

async function pageOfCandidates(
  db: Queryable,
  request: SearchRequest,
  candidates: readonly string[],
): Promise<SessionPage> {
  const { page, pageSize } = request.query;
  const { parameters, where, order } = searchList(request);
  where.push(`s.session_id = ANY(${parameters.add(candidates)}::uuid[])`);
  const [total] = await selectRows(
    db,
    parseTotal,
    `SELECT count(*)::int AS n FROM alert_sessions s WHERE ${where.join(" AND ")}`,
    parameters.values,
  );
  const first = order.rows({ where, end: undefined, limit: page * pageSize }, (value) =>
    parameters.add(value),
  );
  const offset = (page - 1) * pageSize;
  const rows = await selectRows(
    db,
    parseKey,
    `SELECT ${PAGE_COLUMNS} FROM ${first} LIMIT ${parameters.add(pageSize)} OFFSET ${parameters.add(offset)}`,
    parameters.values,
  );
  return { ids: rows.map(({ session_id }) => session_id), total: total?.n ?? 0, isCapped: false };
}

/** A page as it was walked to; `found` also counts the first session behind it. */
interface WalkedPage {
  readonly ids: readonly string[];
  readonly found: number;
}

async function walk(db: Queryable, request: SearchRequest, pageEnds: PageEnds): Promise<WalkedPage> {
  const { page, pageSize } = request.query;
  const list = listKey(request);
  const known = pageEnds.before(list, page);
  const { parameters, where, order, condition } = searchList(request);
  const limit = condition.isIndexed ? MAX_WALKED : MAX_WALKED_UNINDEXED;
  const first = order.rows({ where, end: known?.end, limit }, (value) => parameters.add(value));
  const rows: Key[] = await selectRows(
    db,
    parseKey,
    `SELECT session_id, created_at, key FROM (
       SELECT ${PAGE_COLUMNS}, ${condition.isHit()} AS is_hit FROM ${first} LIMIT ${limit}
     ) AS walked WHERE is_hit
     LIMIT ${parameters.add(pageSize + 1)} OFFSET ${parameters.add((page - 1 - (known?.page ?? 0)) * pageSize)}`,
    parameters.values,
  );
  const shown = rows.slice(0, pageSize);
  const last = shown.at(-1);
  if (last !== undefined) pageEnds.note(list, page, last);
  return { ids: shown.map(({ session_id }) => session_id), found: rows.length };
}

function totalOf(
  { query: { page, pageSize } }: SearchRequest,
  { ids, found }: WalkedPage,
  counted: number | undefined,
): Pick<SessionPage, "total" | "isCapped"> {
  if (counted !== undefined) return { total: Math.min(MAX_TOTAL, counted), isCapped: counted > MAX_TOTAL };
  // There is at least what was shown, and the page behind it if it has a row.
  const least = ids.length === 0 ? 0 : (page - 1) * pageSize + found;
  return { total: Math.min(MAX_TOTAL, least), isCapped: true };
}

/** A list that is searched for a term. */
type SearchRequest = ListRequest & { readonly term: string };

/** The parts of a statement over the sessions `s` of a searched list; each statement needs parts of its own. */
interface SearchList {
  readonly parameters: SqlParameters;
  /** The conditions of the list without the search. */
  readonly where: string[];
  readonly order: SessionOrder;
  readonly condition: SearchCondition;
}

/** Returns the parts of a statement that reads the sessions that the caller may see and the filters let through. */
function searchList({ query, identity, term }: SearchRequest): SearchList {
  const parameters = new SqlParameters();
  const where = [visibleTo(identity, parameters), ...sessionConditions(query.filters, parameters)];
  return { parameters, where, order: sessionOrder(query), condition: new SearchCondition(term, parameters) };
}

/** Of a term that more of the sessions have, MAX_TOTAL hits are found faster by testing sessions than all hits by the indexes. */
const OFTEN = 0.3;

/**
 * Counts the hits of a search, up to MAX_TOTAL + 1. `share` is the part of the sessions that are thought to be hits. Takes up to some
 * seconds for 100,000 sessions; rejects if that is longer than the database allows.
 */
async function countHits(db: Queryable, request: SearchRequest, share: number): Promise<number> {
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
