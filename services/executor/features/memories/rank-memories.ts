/** The newest memories that could be meant are ranked; the rest are too old to come before them. */
const MAX_RANKED = 1_000;

/** How much less a memory counts with each day since it was confirmed: half after 90 days. */
const DECAY_PER_DAY = 0.0077;

/** A memory whose cosine with the query is smaller means something else. */
const MIN_COSINE = 0.7;
/** At least so many of the nearest in meaning are ranked. */
const MIN_NEAR = 20;
/** A memory that is found by its meaning, or beside such ones, with a smaller score is too old, unsure or far. */
const MIN_SCORE = 0.01;

const COLUMNS = "memory_id, content, category, valence, confidence, alert_type";
const SURE = "(0.7 + 0.3 * confidence)";
const AGED = `exp(-${DECAY_PER_DAY} * greatest(0, extract(epoch FROM now() - updated_at) / 86400))`;

interface RankOptions {
  /** Parameters of the statement: how many at most. */
  readonly limit: string;
  /** The query's vector of length 1 and the name of its model, as parameters; absent: words alone decide. */
  readonly near?: { readonly vector: string; readonly model: string };
  /** Whether those that the session taught itself count. */
  readonly includesOwn?: boolean;
}

/**
 * An SQL query of the memories that session `asking` (a CTE with `session_id`, `owner_subject`, `teams`) may get, best
 * first: by how well their words match the CTE `query`, which has one column `words`, by their meaning, how sure they
 * are, and their age.
 */
export function rankMemories(options: RankOptions): string {
  const { near, limit } = options;
  return near === undefined ? byWords(options, limit) : byMeaning(options, limit, near);
}

/** The condition that the session may get memory `m`. */
export function mayGet({ includesOwn = false }: Pick<RankOptions, "includesOwn"> = {}): string {
  const own = includesOwn ? "" : "AND m.source_session_id IS DISTINCT FROM asking.session_id";
  return `NOT m.deprecated AND m.project = 'default' ${own} AND ${sharedWith("m", "asking")}`;
}

function byWords(options: RankOptions, limit: string): string {
  return `
SELECT ${COLUMNS}
FROM (
  SELECT m.*, row_number() OVER (ORDER BY ts_rank(m.tsv, m.words) DESC, m.updated_at DESC, m.memory_id) AS rank
  FROM (
    SELECT m.*, query.words FROM asking, query, investigation_memories m
    WHERE m.tsv @@ query.words AND ${mayGet(options)}
    ORDER BY m.updated_at DESC, m.memory_id LIMIT ${MAX_RANKED}
  ) m
) ranked
ORDER BY (1.0 / (60 + rank)) * ${SURE} * ${AGED} DESC, rank
LIMIT ${limit}`;
}

/** Ranks by meaning and by words are fused. Words add to what is near in meaning, and find alone what has no vector yet. */
function byMeaning(
  options: RankOptions,
  limit: string,
  { vector, model }: NonNullable<RankOptions["near"]>,
): string {
  return `,
allowed AS MATERIALIZED (
  SELECT m.*, m.embedding_model IS NOT DISTINCT FROM ${model} AS is_compared, coalesce(m.tsv @@ query.words, false) AS has_words
  FROM asking, query, investigation_memories m
  WHERE (m.embedding_model = ${model} OR m.tsv @@ query.words) AND ${mayGet(options)}
  ORDER BY m.updated_at DESC, m.memory_id LIMIT ${MAX_RANKED}
), compared AS (
  SELECT allowed.*, CASE WHEN has_words THEN ts_rank(tsv, query.words) END AS word_rank,
    CASE WHEN is_compared THEN (SELECT sum(a * b) FROM unnest(embedding, ${vector}::real[]) AS pair (a, b)) END AS cosine
  FROM allowed, query
), placed AS (
  SELECT *, row_number() OVER (ORDER BY cosine DESC NULLS LAST, updated_at DESC, memory_id) AS near_place,
    row_number() OVER (ORDER BY word_rank DESC NULLS LAST, updated_at DESC, memory_id) AS word_place
  FROM compared
), ranked AS (
  SELECT *, CASE WHEN has_words THEN word_place END AS worded,
    CASE WHEN cosine >= ${MIN_COSINE} AND near_place <= greatest(3 * ${limit}::int, ${MIN_NEAR}) THEN near_place END AS near
  FROM placed
)
SELECT ${COLUMNS}
FROM ranked, LATERAL (
  SELECT (coalesce(1.0 / (60 + near), 0) + coalesce(1.0 / (60 + worded), 0)) * ${SURE} * ${AGED} AS score
) scored
WHERE (near IS NOT NULL OR NOT is_compared AND worded IS NOT NULL) AND score >= ${MIN_SCORE}
ORDER BY score DESC, memory_id
LIMIT ${limit}`;
}

/**
 * The SQL condition that what was learned in one session may reach another: `source` and `asking` are rows with
 * `owner_subject` and `teams`. Readers of the asking session read its memories, so each of its teams must be one of the
 * source's; a session without a team gets only the memories of its own submitter's sessions without a team.
 */
export function sharedWith(source: string, asking: string): string {
  return `CASE WHEN cardinality(${asking}.teams) > 0 THEN ${source}.teams @> ${asking}.teams
       ELSE cardinality(${source}.teams) = 0 AND ${source}.owner_subject IS NOT DISTINCT FROM ${asking}.owner_subject END`;
}
