import { table, ADD, OF_SESSION } from "#shared/database/tables/table.ts";
import { MEMORY_CATEGORIES, MEMORY_VALENCES } from "#shared/contracts/memory.ts";
import { QUALITY_RATINGS } from "#shared/contracts/review.ts";

/**
 * Feedback that arrived while an earlier one was learned from. The id is that of the follow-up which will learn from the text: the same
 * text is kept once.
 */
export const WAITING_FEEDBACK = table({
  name: "waiting_feedback",
  columns: {
    /** Of the follow-up which will learn from the text: the same text is kept once. */
    follow_up_id: { type: "uuid", primary: true },
    session_id: OF_SESSION,
    feedback: { type: "text", from: "person" },
    asked_by: { type: "text", from: "caller" },
    created_at: { type: "timestamptz", default: "clock_timestamp()" },
  },
  indexes: ["waiting_feedback_session (session_id, created_at)"],
  grants: { api: { select: true, insert: true, delete: true } },
  purge: { kind: "session" },
});

/**
 * What was learned from a session, or from a reviewer's feedback on one, which is not rated: the review that calls an investigation wrong
 * says what is right.
 */
export const INVESTIGATION_MEMORIES = table({
  name: "investigation_memories",
  columns: {
    memory_id: { type: "uuid", primary: true },
    project: { type: "text", default: "'default'", from: "ours" },
    /** What a model has learned is masked as well, in the executor. */
    content: { type: "text", from: "person", set: "api" },
    category: { type: "text", enum: MEMORY_CATEGORIES, checked: true, from: "ours", set: "api" },
    valence: { type: "text", enum: MEMORY_VALENCES, checked: true, from: "ours", set: "api" },
    /** It and the rating are stored, and the confidence is computed: another rating leaves no trace of the one before. */
    base_confidence: {
      type: "real",
      set: "executor",
      ddl: "CHECK (base_confidence > 0 AND base_confidence <= 1)",
    },
    origin: {
      type: "text",
      default: "'investigation'",
      from: "ours",
      ddl: "CHECK (origin IN ('investigation', 'feedback'))",
    },
    rating: { type: "text", nullable: true, enum: QUALITY_RATINGS, checked: true, from: "ours", set: "api" },
    confidence: {
      type: "real",
      ddl: "GENERATED ALWAYS AS (least(1, base_confidence * CASE rating WHEN 'accurate' THEN 1.2 WHEN 'partially_accurate' THEN 0.6 ELSE 1 END)) STORED",
    },
    /** What a person or a model said; without it, the rating decides. */
    deprecation: { type: "boolean", nullable: true, set: ["api", "executor"] },
    deprecated: {
      type: "boolean",
      ddl: "GENERATED ALWAYS AS (coalesce(deprecation, rating = 'inaccurate', false)) STORED",
    },
    seen_count: { type: "integer", default: "1", set: "executor" },
    source_session_id: { type: "uuid", nullable: true, ddl: "REFERENCES alert_sessions ON DELETE SET NULL" },
    /** Those of the source: a memory outlives it, and must not become visible to others then. */
    owner_subject: { type: "text", nullable: true, from: "caller" },
    teams: { type: "text", array: true, default: "'{}'", from: "config" },
    alert_type: { type: "text", nullable: true, from: "config" },
    chain_id: { type: "text", nullable: true, from: "config" },
    tsv: {
      type: "tsvector",
      from: "copies",
      ddl: "GENERATED ALWAYS AS (to_tsvector('simple', content)) STORED",
    },
    created_at: { type: "timestamptz", default: "now()" },
    updated_at: { type: "timestamptz", default: "now()", set: ["api", "executor"] },
    last_seen_at: { type: "timestamptz", default: "now()", set: "executor" },
    /** A vector of length 1, so that a product of two is the cosine. */
    embedding: { type: "real", array: true, nullable: true, set: "executor" },
    /** Which vectors can be compared. */
    embedding_model: { type: "text", nullable: true, from: "config", set: "executor" },
  },
  constraints: [
    "CONSTRAINT investigation_memories_embedding CHECK ((embedding IS NULL) = (embedding_model IS NULL))",
  ],
  indexes: [
    "investigation_memories_source (source_session_id)",
    "investigation_memories_created (created_at, memory_id)",
    "investigation_memories_words USING gin (tsv) WHERE NOT deprecated",
  ],
  grants: {
    api: { select: true, delete: true },
    executor: {
      select: true,
      insert: [
        "memory_id",
        "content",
        "category",
        "valence",
        "base_confidence",
        "origin",
        "rating",
        "embedding",
        "embedding_model",
        "source_session_id",
        "owner_subject",
        "teams",
        "alert_type",
        "chain_id",
      ],
    },
  },
  purge: { kind: "kept", because: "lessons outlive their sessions; operators delete them by the api" },
  afterwards: `
CREATE FUNCTION tarsy_drop_embedding() RETURNS trigger LANGUAGE plpgsql AS $drop_embedding$
BEGIN
  IF NEW.content IS DISTINCT FROM OLD.content THEN
    NEW.embedding := NULL;
    NEW.embedding_model := NULL;
  END IF;
  RETURN NEW;
END
$drop_embedding$;
CREATE TRIGGER investigation_memories_drop_embedding BEFORE UPDATE OF content ON investigation_memories FOR EACH ROW
  EXECUTE FUNCTION tarsy_drop_embedding();
`,
});

/**
 * Which agents got which memories. It has no key to the memories: one that is deleted while an agent starts must not fail the agent.
 */
export const SESSION_MEMORIES = table({
  name: "session_memories",
  columns: {
    execution_id: { type: "uuid", primary: true },
    memory_id: { type: "uuid", primary: true },
    session_id: OF_SESSION,
    position: { type: "integer" },
    injected_at: { type: "timestamptz", default: "now()" },
  },
  indexes: ["session_memories_session (session_id)"],
  grants: { api: ADD, executor: ADD },
  purge: { kind: "session" },
  past: { since: "kept" },
});
