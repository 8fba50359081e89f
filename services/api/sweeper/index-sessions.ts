import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { isDatabaseSlow } from "#shared/database/connection/database-slow.ts";
import { pause } from "#shared/pause.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** Sessions indexed by one statement, which must end well within `statement_timeout`. */
const PAGE = 10;
/** Of a text that is larger, what follows is not searched. */
const MAX_CHARACTERS = 100_000;
/** What is analysed as one: a vector of words has at most 1 MiB. */
const PART_BYTES = 100_000;
/** Of a session with more text, what follows is not searched: a session is indexed in one statement. */
const MAX_PARTS = 30;
/** For texts of which the words do not fit into a vector: hyphens and addresses give more words than they have characters. */
const LESS_CHARACTERS = 10_000;
const PROGRAM_LIMIT_EXCEEDED = "54000";

/** Where the next page begins: after the oldest session of the last one. */
const Place = Type.Object({ created_at: Type.String(), session_id: Type.String() });
type Place = Static<typeof Place>;
const FIRST: Place = { created_at: "infinity", session_id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };

const parseIndexed = compileParser(
  "indexed sessions",
  Type.Object({ n: Type.Integer(), oldest: Type.Union([Place, Type.Null()]) }),
);

interface Limits {
  readonly sessions: number;
  /** Of each text. */
  readonly characters: number;
}

/** Seconds after which a session that has not ended is indexed. One that ends earlier is indexed once. */
export const YOUNG_S = 2;
/** Sessions that have not been indexed since they ended. */
const NEW = `NOT p.is_complete AND (s.completed_at IS NOT NULL
    OR ((p.indexed_seq IS NULL OR r.last_seq > p.indexed_seq) AND p.created_at < now() - make_interval(secs => ${YOUNG_S})))`;
/** Sessions that have been, and of which work that followed has ended since, such as the answer to a question. */
const HAS_ENDED = "f.status NOT IN ('pending', 'active') AND NOT f.is_indexed";
const FOLLOWED_UP = `p.is_complete AND p.session_id IN (SELECT f.session_id FROM follow_ups f WHERE ${HAS_ENDED})`;

/**
 * Takes sessions with something new, the newest first, and stores their texts and words. Once a session has ended, all of its
 * words are stored anew, in as few rows as possible. SKIP LOCKED: replicas take different sessions, and what a dead one had
 * taken is taken again. A page begins where the last one ended, or each would read all sessions that wait with nothing new. `ANY` and
 * `OFFSET` have the rows of each session looked up by key: the planner would read whole tables as long as they are small. A text that several
 * entries of a part have, such as the conclusion or what a tool gives again, is analysed once.
 * The limits are part of the text, because with them as parameters Postgres would plan each page anew. Parameters: where the page begins.
 */
const index = (condition: string, { sessions, characters }: Limits) => `
WITH due AS MATERIALIZED (
  SELECT p.session_id, s.completed_at IS NOT NULL AS is_over, r.last_seq AS to_seq, p.indexed_seq IS NULL AS is_new,
         CASE WHEN s.completed_at IS NULL THEN coalesce(p.indexed_seq, -1) ELSE -1 END AS from_seq, p.created_at
  FROM search_progress p JOIN alert_sessions s USING (session_id) JOIN session_runtime r USING (session_id)
  WHERE ${condition} AND (p.created_at, p.session_id) < ($1::timestamptz, $2::uuid)
  ORDER BY p.created_at DESC, p.session_id DESC LIMIT ${sessions} FOR NO KEY UPDATE OF p SKIP LOCKED
), texts AS (
  INSERT INTO session_texts (session_id, kind, content)
  SELECT due.session_id, t.kind, lower(left(t.content, ${MAX_CHARACTERS}))
  FROM due JOIN alert_sessions s USING (session_id),
    LATERAL (VALUES ('alert', s.alert_data, due.is_new), ('analysis', s.final_analysis, due.is_over)) AS t(kind, content, is_due)
  WHERE t.is_due AND t.content IS NOT NULL
  ON CONFLICT DO NOTHING
), former AS (
  DELETE FROM timeline_words w WHERE w.session_id = ANY (ARRAY(SELECT session_id FROM due WHERE is_over))
    AND w.indexed_seq <> (SELECT to_seq FROM due WHERE due.session_id = w.session_id)
), contents AS (
  SELECT due.session_id, due.to_seq, t.content,
         (sum(octet_length(t.content)) OVER (PARTITION BY due.session_id ORDER BY t.created_at, t.event_id)
          - octet_length(t.content)) / ${PART_BYTES} AS part
  FROM due, LATERAL (
    SELECT event_id, created_at, left(content, ${characters}) COLLATE "C" AS content FROM timeline_events
    WHERE session_id = due.session_id AND coalesce(seq, 0) > due.from_seq AND status <> 'streaming' AND content <> ''
    OFFSET 0
  ) AS t
), words AS (
  INSERT INTO timeline_words (session_id, indexed_seq, part, words)
  SELECT session_id, to_seq, part, strip(to_tsvector('english', string_agg(content, E'\\n')))
  FROM (SELECT DISTINCT * FROM contents WHERE part < ${MAX_PARTS}) AS content GROUP BY session_id, to_seq, part
  ON CONFLICT DO NOTHING
), followed AS (
  UPDATE follow_ups f SET is_indexed = true
  WHERE f.session_id = ANY (ARRAY(SELECT session_id FROM due WHERE is_over)) AND ${HAS_ENDED}
), indexed AS (
  UPDATE search_progress p SET indexed_seq = due.to_seq, is_complete = due.is_over
  FROM due WHERE p.session_id = due.session_id AND p.session_id = ANY (ARRAY(SELECT session_id FROM due)) RETURNING 1
)
SELECT (SELECT count(*)::int FROM indexed) AS n,
       (SELECT json_build_object('created_at', created_at, 'session_id', session_id) FROM due ORDER BY created_at, session_id LIMIT 1) AS oldest`;

/**
 * Indexes what is new in sessions for the search, page by page, until nothing is left or `signal` aborts. Resolves with the
 * number of sessions. Each page is one statement, so that a crash leaves whole pages. It rests as long as it works: a burst of
 * alerts is accepted meanwhile. Rejects with database errors.
 */
export async function indexSessions(db: Database, signal: AbortSignal): Promise<number> {
  let sessions = 0;
  for (const condition of [NEW, FOLLOWED_UP]) {
    for (let place: Place | null = FIRST; place !== null && !signal.aborted;) {
      const startedAt = performance.now();
      const page: Indexed = await indexPage(db, condition, place);
      sessions += page.n;
      place = page.n === PAGE ? page.oldest : null;
      if (place !== null) await pause(performance.now() - startedAt, signal).catch(() => undefined);
    }
  }
  return sessions;
}

type Indexed = ReturnType<typeof parseIndexed>;

async function indexPage(db: Database, condition: string, place: Place): Promise<Indexed> {
  try {
    return await indexFrom(db, place, index(condition, { sessions: PAGE, characters: MAX_CHARACTERS }));
  } catch (error) {
    if (!isTooMuch(error)) throw error;
  }
  // One after another, with less of each: a text of any kind must not stop the index.
  let last: Indexed = { n: 0, oldest: place };
  for (let n = 0; n < PAGE && last.oldest !== null; n += 1) {
    const one = await indexOne(db, condition, last.oldest);
    last = { n: last.n + one.n, oldest: one.oldest };
  }
  return last;
}

async function indexOne(db: Database, condition: string, place: Place): Promise<Indexed> {
  try {
    return await indexFrom(db, place, index(condition, { sessions: 1, characters: MAX_CHARACTERS }));
  } catch (error) {
    if (!isTooMuch(error)) throw error;
    return indexFrom(db, place, index(condition, { sessions: 1, characters: LESS_CHARACTERS }));
  }
}

async function indexFrom(
  db: Database,
  { created_at, session_id }: Place,
  statement: string,
): Promise<Indexed> {
  const [indexed] = await selectRows(db, parseIndexed, statement, [created_at, session_id]);
  return indexed ?? { n: 0, oldest: null };
}

/** True if there are too many words for a vector, or for a statement's time. */
function isTooMuch(error: unknown): boolean {
  if (isDatabaseSlow(error)) return true;
  return error instanceof Error && "code" in error && error.code === PROGRAM_LIMIT_EXCEEDED;
}
