import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { EarlierSession } from "../../core/agent-state.ts";
import { sharedWith } from "./rank-memories.ts";

/** The query for earlier sessions. */
export interface SessionQuery {
  /** In lower case; an alert must have all of them, as words or as parts of words. At least one. */
  readonly words: readonly string[];
  /** Null for any. */
  readonly alertType: string | null;
  /** How long ago the oldest may have been submitted. */
  readonly daysBack: number;
  readonly limit: number;
}

/** The most characters of each text, so that ten sessions stay readable. */
const MAX_ALERT = 1_000;
const MAX_CONCLUSION = 3_000;
const MAX_EXCHANGES = 5;
const MAX_QUESTION = 500;
const MAX_ANSWER = 1_000;

const parseFound = compileParser("earlier session", EarlierSession);
const parseWord = compileParser("word", Type.Object({ word: Type.String() }));

/** Without the words that every English text has. */
const TELLING = `
SELECT word FROM unnest($1::text[]) WITH ORDINALITY AS given(word, position)
WHERE ts_lexize('english_stem', word) IS DISTINCT FROM '{}' ORDER BY position`;

/** The alerts are found in the index of the search, which the api's sweeper fills. */
const find = (words: readonly string[]) => `
WITH asking AS (SELECT session_id, owner_subject, teams FROM alert_sessions WHERE session_id = $1),
found AS (
  SELECT s.session_id, s.alert_type, s.created_at, s.alert_data, s.final_analysis, s.executive_summary
  FROM asking, alert_sessions s JOIN session_texts x ON x.session_id = s.session_id AND x.kind = 'alert'
  WHERE s.status = 'completed' AND s.deleted_at IS NULL AND s.session_id <> asking.session_id
    AND s.created_at >= now() - make_interval(days => $2::int) AND ($3::text IS NULL OR s.alert_type = $3)
    AND ${sharedWith("s", "asking")}
    ${words.map((_, index) => `AND x.content LIKE $${index + 5}`).join(" ")}
  ORDER BY s.created_at DESC, s.session_id LIMIT $4
)
SELECT session_id, alert_type, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS created,
  left(alert_data, ${MAX_ALERT}) AS alert, length(alert_data) AS alert_chars,
  left(coalesce(final_analysis, executive_summary), ${MAX_CONCLUSION}) AS conclusion,
  coalesce((SELECT json_agg(json_build_object('question', left(question, ${MAX_QUESTION}), 'answer', left(answer, ${MAX_ANSWER})) ORDER BY asked)
   FROM (
     SELECT m.content AS question, m.created_at AS asked, (
       SELECT t.content FROM stages g JOIN agent_executions e USING (session_id, stage_id) JOIN timeline_events t USING (execution_id)
       WHERE g.chat_user_message_id = m.message_id AND e.parent_execution_id IS NULL
         AND t.event_type = 'final_analysis' AND t.status = 'completed'
       ORDER BY t.sequence_number DESC LIMIT 1) AS answer
     FROM chats c JOIN chat_user_messages m USING (chat_id) WHERE c.session_id = found.session_id
     ORDER BY m.created_at DESC LIMIT ${MAX_EXCHANGES}
   ) newest), '[]') AS exchanges
FROM found ORDER BY created_at DESC, session_id`;

/**
 * Completed sessions whose alert has all the words, newest first; only those that all may read who may read the asking one. Throws
 * database errors.
 */
export async function findSessions(
  { db, sessionId }: { readonly db: Queryable; readonly sessionId: string },
  { words, alertType, daysBack, limit }: SessionQuery,
): Promise<EarlierSession[]> {
  const telling = (await selectRows(db, parseWord, TELLING, [words])).map(({ word }) => word);
  const wanted = telling.length === 0 ? words : telling;
  const patterns = wanted.map((word) => `%${word.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`);
  return selectRows(db, parseFound, find(wanted), [sessionId, daysBack, alertType, limit, ...patterns]);
}
