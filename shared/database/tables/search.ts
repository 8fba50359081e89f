import { table, ADD, OF_SESSION, READ, WITH_SESSION } from "#shared/database/tables/table.ts";

/** How far the search has indexed a session. A trigger inserts the row, and the api's sweeper fills the search. */
export const SEARCH_PROGRESS = table({
  name: "search_progress",
  columns: {
    session_id: { type: "uuid", primary: true },
    created_at: { type: "timestamptz" },
    /** The session's newest event when it was indexed last. */
    indexed_seq: { type: "integer", nullable: true, set: "api" },
    is_complete: { type: "boolean", default: "false", set: "api" },
  },
  indexes: ["search_progress_open (created_at) WHERE NOT is_complete"],
  grants: { api: ADD },
  purge: WITH_SESSION,
});

/** The texts of a session that are searched, in lower case and without what follows the first 100,000 characters. */
export const SESSION_TEXTS = table({
  name: "session_texts",
  columns: {
    session_id: { ...OF_SESSION, primary: true },
    kind: { type: "text", primary: true, from: "ours", ddl: "CHECK (kind IN ('alert', 'analysis'))" },
    content: { type: "text", from: "copies" },
  },
  indexes: ["session_texts_content USING gin (content gin_trgm_ops)"],
  grants: { api: ADD, executor: READ },
  purge: { kind: "session" },
});

/** The words of a session's timeline. */
export const TIMELINE_WORDS = table({
  name: "timeline_words",
  columns: {
    session_id: { ...OF_SESSION, primary: true },
    indexed_seq: { type: "integer", primary: true },
    part: { type: "integer", primary: true },
    words: { type: "tsvector", from: "copies" },
  },
  indexes: ["timeline_words_words USING gin (words)"],
  grants: { api: { select: true, insert: true, delete: true } },
  purge: { kind: "session" },
});
