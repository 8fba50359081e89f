import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Identity } from "#shared/access/identity.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { ListQuery } from "./list-query.ts";
import type { ListMemory } from "./list-memory.ts";
import { sessionConditions } from "./session-conditions.ts";
import { PAGE_COLUMNS, sessionOrder } from "./session-order.ts";
import { SqlParameters } from "./sql-parameters.ts";
import { visibleTo } from "./visible-to.ts";

/** Sessions beyond are not counted, and no page shows them: a filter finds them. */
export const MAX_TOTAL = 10_000;

/** The ids of a page's sessions in their order, and how many there are in all. */
export interface SessionPage {
  readonly ids: readonly string[];
  readonly total: number;
  /** There are more than `total`. */
  readonly isCapped: boolean;
}

const parseKeys = compileParser(
  "keys of a listed session",
  Type.Object({
    session_id: Type.String(),
    created_at: Type.String(),
    key: Type.Union([Type.String(), Type.Null()]),
  }),
);
const parseTotal = compileParser("number of sessions", Type.Object({ n: Type.Integer() }));

/** What decides which sessions a list has, and in which order. */
export interface ListRequest {
  readonly query: ListQuery;
  readonly identity: Identity;
}

/** A page of the sessions that the caller may see, without a search. Pages beyond the last one are empty. */
export async function listSessions(
  db: Queryable,
  request: ListRequest,
  memory: ListMemory,
): Promise<SessionPage> {
  const { page, pageSize } = request.query;
  const list = listKey(request);
  const counted = await countSessions(db, request, memory);
  if ((page - 1) * pageSize >= counted.total) return { ids: [], ...counted };

  const { parameters, where } = listConditions(request);
  const known = memory.pageEnds.before(list, page);
  const offset = (page - 1 - (known?.page ?? 0)) * pageSize;
  const first = sessionOrder(request.query).rows(
    { where, end: known?.end, limit: offset + pageSize },
    (value) => parameters.add(value),
  );
  const rows = await selectRows(
    db,
    parseKeys,
    `SELECT ${PAGE_COLUMNS} FROM ${first} LIMIT ${parameters.add(pageSize)} OFFSET ${parameters.add(offset)}`,
    parameters.values,
  );
  const last = rows.at(-1);
  if (last !== undefined) memory.pageEnds.note(list, page, last);
  return { ids: rows.map(({ session_id }) => session_id), ...counted };
}

async function countSessions(
  db: Queryable,
  request: ListRequest,
  { capped }: ListMemory,
): Promise<Pick<SessionPage, "total" | "isCapped">> {
  const list = listKey(request);
  if (capped.has(list)) return { total: MAX_TOTAL, isCapped: true };
  const { parameters, where } = listConditions(request);
  const [row] = await selectRows(
    db,
    parseTotal,
    `SELECT count(*)::int AS n FROM (SELECT FROM alert_sessions s WHERE ${where.join(" AND ")} LIMIT ${MAX_TOTAL + 1}) AS found`,
    parameters.values,
  );
  const found = row?.n ?? 0;
  if (found > MAX_TOTAL) capped.set(list, true);
  return { total: Math.min(found, MAX_TOTAL), isCapped: found > MAX_TOTAL };
}

function listConditions({ query, identity }: ListRequest) {
  const parameters = new SqlParameters();
  return {
    parameters,
    where: [visibleTo(identity, parameters), ...sessionConditions(query.filters, parameters)],
  };
}

/** Names a list of one caller, whatever the page. */
export function listKey({ query, identity }: ListRequest): string {
  const { page: _page, ...list } = query;
  const { via, subject, roles, teams } = identity;
  return JSON.stringify([via, subject, roles, teams, list]);
}
