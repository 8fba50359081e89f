import { isoText } from "#shared/database/iso-text.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Identity } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { InjectedMemory, MemoryView } from "./contract.ts";
import { SqlParameters } from "../sessions/sql-parameters.ts";
import { readableBy } from "../sessions/visible-to.ts";

/** More than a session has: each review and each score adds at most ten. */
const MAX_OF_SESSION = 1_000;

const time = (column: string) => `${isoText(`m.${column}`)} AS ${column}`;
/** What `MemoryView` has, of the memory `m`. */
export const MEMORY_COLUMNS = `m.memory_id, m.memory_id AS id, 'default' AS project, m.content, m.category, m.valence, round(m.confidence::numeric, 4)::float8 AS confidence, m.seen_count,
  m.source_session_id, m.alert_type, m.chain_id, m.deprecated, ${time("created_at")}, ${time("updated_at")}, ${time("last_seen_at")}`;

const parseMemory = compileParser("memory", MemoryView);
const parseInjected = compileParser("injected memory", InjectedMemory);
const parsePage = compileParser(
  "page of memories",
  Type.Object({ total: Type.Integer(), memories: Type.Array(MemoryView) }),
);

/** What the identity may see of what was learned from a session, oldest first. */
export async function readMemoriesOf(db: Queryable, identity: Identity, sessionId: string) {
  const parameters = new SqlParameters();
  const sql = `
SELECT ${MEMORY_COLUMNS} FROM investigation_memories m
WHERE m.source_session_id = ${parameters.add(sessionId)} AND ${readableBy(identity, parameters, "m")}
ORDER BY m.created_at, m.memory_id LIMIT ${MAX_OF_SESSION}`;
  return selectRows(db, parseMemory, sql, parameters.values);
}

/** The memories that agents of a session got and the identity may see, in the order in which they got them; deleted memories are absent. */
export async function readInjectedMemories(db: Queryable, identity: Identity, sessionId: string) {
  const parameters = new SqlParameters();
  const sql = `
SELECT ${MEMORY_COLUMNS}, injected.execution_ids
FROM (
  SELECT memory_id, array_agg(execution_id::text ORDER BY injected_at, execution_id) AS execution_ids,
         min(injected_at) AS injected_at, min(position) AS position
  FROM session_memories WHERE session_id = ${parameters.add(sessionId)} GROUP BY memory_id
) injected JOIN investigation_memories m USING (memory_id)
WHERE ${readableBy(identity, parameters, "m")}
ORDER BY injected.injected_at, injected.position, m.memory_id LIMIT ${MAX_OF_SESSION}`;
  return selectRows(db, parseInjected, sql, parameters.values);
}

/** A memory that the identity may see; undefined alike for one that does not exist and one that is hidden. */
export async function readMemory(db: Queryable, identity: Identity, memoryId: string) {
  const parameters = new SqlParameters();
  const sql = `
SELECT ${MEMORY_COLUMNS} FROM investigation_memories m
WHERE m.memory_id = ${parameters.add(memoryId)} AND ${readableBy(identity, parameters, "m")}`;
  const [memory] = await selectRows(db, parseMemory, sql, parameters.values);
  return memory;
}

interface MemoryPageRequest {
  readonly page: number;
  readonly pageSize: number;
  readonly category?: string | undefined;
  readonly valence?: string | undefined;
  readonly deprecated?: boolean | undefined;
  readonly source_session_id?: string | undefined;
}

/** A page of the memories that the identity may see, newest first, and how many there are. */
export async function readMemoryPage(
  db: Queryable,
  identity: Identity,
  { page, pageSize, ...filters }: MemoryPageRequest,
) {
  const parameters = new SqlParameters();
  const conditions = [
    readableBy(identity, parameters, "m"),
    ...(["category", "valence", "deprecated", "source_session_id"] as const).flatMap((name) =>
      filters[name] === undefined ? [] : [`m.${name} = ${parameters.add(filters[name])}`],
    ),
  ].join(" AND ");
  const size = parameters.add(pageSize);
  const sql = `
SELECT (SELECT count(*)::int FROM investigation_memories m WHERE ${conditions}) AS total, coalesce((
  SELECT json_agg(row_to_json(found)) FROM (
    SELECT ${MEMORY_COLUMNS} FROM investigation_memories m WHERE ${conditions}
    ORDER BY m.created_at DESC, m.memory_id DESC LIMIT ${size} OFFSET ${parameters.add((page - 1) * pageSize)}
  ) found), '[]') AS memories`;
  const [found] = await selectRows(db, parsePage, sql, parameters.values);
  return found ?? { total: 0, memories: [] };
}
