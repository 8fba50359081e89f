import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores what was learned from sessions, and which agents were told of it. Only adds: the version before remembers nothing. */
export class Memories0000000000039 implements MigrationInterface {
  readonly name = "Memories0000000000039";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * `owner_subject` and `teams` are those of the source: a memory outlives it, and must not become visible to others then.
 * `base_confidence` and `rating` are stored, and the confidence is computed: another rating leaves no trace of the one before.
 * A memory from a reviewer's feedback is not rated: the review that calls an investigation wrong says what is right.
 * `deprecation` is what a person or a model said; without it, the rating decides. `session_memories` has no key to the memories:
 * one that is deleted while an agent starts must not fail the agent.
 */
const UP = `
ALTER TYPE timeline_event_type ADD VALUE IF NOT EXISTS 'memory_injected';
CREATE TABLE investigation_memories (
  memory_id uuid PRIMARY KEY,
  project text NOT NULL DEFAULT 'default',
  content text NOT NULL,
  category text NOT NULL CHECK (category IN ('semantic', 'episodic', 'procedural')),
  valence text NOT NULL CHECK (valence IN ('positive', 'negative', 'neutral')),
  base_confidence real NOT NULL CHECK (base_confidence > 0 AND base_confidence <= 1),
  origin text NOT NULL DEFAULT 'investigation' CHECK (origin IN ('investigation', 'feedback')),
  rating text CHECK (rating IN ('accurate', 'partially_accurate', 'inaccurate')),
  confidence real NOT NULL GENERATED ALWAYS AS (least(1, base_confidence * CASE rating
    WHEN 'accurate' THEN 1.2 WHEN 'partially_accurate' THEN 0.6 ELSE 1 END)) STORED,
  deprecation boolean,
  deprecated boolean NOT NULL GENERATED ALWAYS AS (coalesce(deprecation, rating = 'inaccurate', false)) STORED,
  seen_count integer NOT NULL DEFAULT 1,
  source_session_id uuid REFERENCES alert_sessions ON DELETE SET NULL,
  owner_subject text,
  teams text[] NOT NULL DEFAULT '{}',
  alert_type text,
  chain_id text,
  tsv tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('simple', content)) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX investigation_memories_source ON investigation_memories (source_session_id);
CREATE INDEX investigation_memories_created ON investigation_memories (created_at, memory_id);
CREATE INDEX investigation_memories_words ON investigation_memories USING gin (tsv) WHERE NOT deprecated;
CREATE TABLE session_memories (
  execution_id uuid NOT NULL,
  memory_id uuid NOT NULL,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  position integer NOT NULL,
  injected_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (execution_id, memory_id)
);
CREATE INDEX session_memories_session ON session_memories (session_id)`;

/** A value of an enum cannot be removed; nothing uses it afterwards. */
const DOWN = "DROP TABLE session_memories, investigation_memories";
