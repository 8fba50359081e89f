import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Identity } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { TriageGroup } from "./contract.ts";
import { MAX_TOTAL } from "../sessions/list-sessions.ts";
import { SqlParameters } from "../sessions/sql-parameters.ts";
import { visibleTo } from "../sessions/visible-to.ts";

interface TriageRequest {
  readonly group: TriageGroup;
  readonly page: number;
  readonly pageSize: number;
  /** Exact; null for those without one, undefined for all. */
  readonly assignee: string | null | undefined;
}

/** A page of a group, newest first. Of a group with more than MAX_TOTAL sessions, these are counted and paged. */
interface TriagePage {
  readonly count: number;
  readonly isCapped: boolean;
  readonly page: number;
  readonly totalPages: number;
  readonly ids: readonly string[];
}

const parsePage = compileParser(
  "triage page",
  Type.Object({
    count: Type.Integer(),
    is_capped: Type.Boolean(),
    page: Type.Integer(),
    pages: Type.Integer(),
    ids: Type.Array(Type.String()),
  }),
);

/** The index of unfinished sessions, or those of reviews, have the rows of a group in their order. */
const RUNS = "s.status IN ('pending', 'in_progress', 'cancelling') AND s.review_status IS NULL";

/**
 * Reads which sessions of a group the caller may see; a page behind the last one is the last. Count and page are of one
 * snapshot.
 */
export async function readTriage(
  db: Queryable,
  identity: Identity,
  { group, page, pageSize, assignee }: TriageRequest,
): Promise<TriagePage> {
  const parameters = new SqlParameters();
  const conditions = [
    visibleTo(identity, parameters),
    group === "investigating" ? RUNS : `s.review_status = ${parameters.add(group)}`,
    ...(assignee === undefined
      ? []
      : [assignee === null ? "s.assignee IS NULL" : `s.assignee = ${parameters.add(assignee)}`]),
  ].join(" AND ");
  const size = `${parameters.add(pageSize)}::int`;
  const sql = `
WITH found AS (
  SELECT count(*)::int AS count FROM (SELECT FROM alert_sessions s WHERE ${conditions} LIMIT ${MAX_TOTAL + 1}) AS first
),
counted AS (SELECT least(count, ${MAX_TOTAL}) AS count, count > ${MAX_TOTAL} AS is_capped FROM found),
paged AS (
  SELECT count, is_capped, greatest(1, ceil(count::numeric / ${size})::int) AS pages,
         least(${parameters.add(page)}::int, greatest(1, ceil(count::numeric / ${size})::int)) AS page
  FROM counted
)
SELECT count, is_capped, pages, page, ARRAY(
  SELECT s.session_id::text FROM alert_sessions s WHERE ${conditions}
  ORDER BY s.created_at DESC, s.session_id DESC LIMIT ${size} OFFSET (paged.page - 1) * ${size}
) AS ids
FROM paged`;
  const [row] = await selectRows(db, parsePage, sql, parameters.values);
  return row === undefined
    ? { count: 0, isCapped: false, page: 1, totalPages: 1, ids: [] }
    : { count: row.count, isCapped: row.is_capped, page: row.page, totalPages: row.pages, ids: row.ids };
}
