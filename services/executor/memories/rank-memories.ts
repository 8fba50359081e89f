import { sharedWith } from "./shared-with.ts";

/** The newest memories with a word of the query are ranked; the rest are too old to come before them. */
const MAX_RANKED = 1_000;

/** How much less a memory counts with each day since it was confirmed: half after 90 days. */
const DECAY_PER_DAY = 0.0077;

/**
 * An SQL query of the memories that session `asking` (an alias with `session_id`, `owner_subject`, `teams`) may be told, best first:
 * without those that it taught itself unless `includesOwn`, by how well their words match `query`, how sure they are, and their age. `asking` and `query` are CTEs; the latter has one
 * column `words`.
 */
export function rankMemories(
  limit: string,
  { includesOwn = false }: { readonly includesOwn?: boolean } = {},
): string {
  const own = includesOwn ? "" : "AND m.source_session_id IS DISTINCT FROM asking.session_id";
  return `
SELECT memory_id, content, category, valence, confidence, alert_type
FROM (
  SELECT m.*, row_number() OVER (ORDER BY ts_rank(m.tsv, m.words) DESC, m.updated_at DESC, m.memory_id) AS rank
  FROM (
    SELECT m.*, query.words FROM asking, query, investigation_memories m
    WHERE m.tsv @@ query.words AND NOT m.deprecated AND m.project = 'default'
      ${own} AND ${sharedWith("m", "asking")}
    ORDER BY m.updated_at DESC, m.memory_id LIMIT ${MAX_RANKED}
  ) m
) ranked
ORDER BY (1.0 / (60 + rank)) * (0.7 + 0.3 * confidence)
         * exp(-${DECAY_PER_DAY} * greatest(0, extract(epoch FROM now() - updated_at) / 86400)) DESC, rank
LIMIT ${limit}`;
}
