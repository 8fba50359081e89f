import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { MEMORY_CATEGORIES, MEMORY_VALENCES } from "#shared/contracts/memory.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { QueryVector } from "./query-vector.ts";
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

const parseRankedMemory = compileParser("ranked memory", RankedMemory);

interface RankedQuery {
  /** The CTEs `asking` and `query`, as `rankMemories` needs them. */
  readonly given: string;
  /** Its parameters. */
  readonly values: readonly unknown[];
  readonly limit: number;
  readonly includesOwn?: boolean;
}

/** The memories that a session may be told, best first; by their words alone if `vector` is null. Throws database errors. */
export async function selectRanked(
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
