import { table, ADD, OF_SESSION, READ } from "#shared/database/tables/table.ts";

/** A text by what it says, such as the body of a skill. */
export const TEXTS = table({
  name: "texts",
  columns: {
    /** SHA-256 of the body in hex. */
    hash: { type: "text", primary: true, from: "digest" },
    body: { type: "text", from: "tool" },
    /**
     * Raised at most once an hour, so that sessions do not wait for each other. Its update is also the lock with which old ones are taken.
     */
    used_at: { type: "timestamptz", default: "now()", set: ["api", "tool-runner"] },
  },
  indexes: ["texts_used (used_at)"],
  grants: { api: { select: true, insert: true, delete: true }, executor: READ, "tool-runner": ADD },
  purge: { kind: "own", by: "the api's clean-up, a day after the last session that needs it is gone" },
});

/** A text that a session needs. */
export const NEEDED_TEXTS = table({
  name: "needed_texts",
  columns: {
    session_id: { ...OF_SESSION, primary: true },
    hash: { type: "text", primary: true, from: "digest", ddl: "REFERENCES texts" },
  },
  indexes: ["needed_texts_hash (hash)"],
  grants: { api: ADD, executor: ADD, "tool-runner": ADD },
  purge: { kind: "session" },
});

/**
 * What became of a session's runbook: its text, the reason why there is none, or the text of the configured one with the reason why the
 * alert's was not fetched.
 */
export const SESSION_RUNBOOKS = table({
  name: "session_runbooks",
  columns: {
    session_id: { type: "uuid", primary: true, ddl: "REFERENCES alert_sessions ON DELETE CASCADE" },
    /** Of its text in `texts`. */
    hash: { type: "text", nullable: true, from: "digest", ddl: "REFERENCES texts" },
    /** Why there is no text. */
    failure: { type: "text", nullable: true, from: "tool" },
    settled_at: { type: "timestamptz", default: "now()" },
  },
  constraints: ["CONSTRAINT session_runbooks_settled CHECK (hash IS NOT NULL OR failure IS NOT NULL)"],
  grants: { api: ADD, executor: ADD, "tool-runner": ADD },
  purge: { kind: "session" },
});

/** The digest of a value masked in a session, by which it is masked again wherever it reappears. */
export const MASKED_VALUES = table({
  name: "masked_values",
  columns: {
    session_id: { ...OF_SESSION, primary: true },
    digest: { type: "text", primary: true, from: "digest" },
    digits: { type: "text", from: "digest" },
    length: { type: "integer" },
    kind: { type: "text", from: "ours" },
  },
  grants: { api: ADD, executor: { insert: true }, "tool-runner": ADD },
  purge: { kind: "session" },
});
