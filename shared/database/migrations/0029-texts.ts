import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores texts by what they say, and which sessions need which of them. Only adds: sessions of the version before need none.
 */
export class Texts0000000000029 implements MigrationInterface {
  readonly name = "Texts0000000000029";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** `hash`: SHA-256 of the body in hex. `used_at` is raised at most once an hour, so that sessions do not wait for each other. */
const UP = `
ALTER TYPE timeline_event_type ADD VALUE IF NOT EXISTS 'skill_loaded';
CREATE TABLE texts (
  hash text PRIMARY KEY,
  body text NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX texts_used ON texts (used_at);
CREATE TABLE needed_texts (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  hash text NOT NULL REFERENCES texts,
  PRIMARY KEY (session_id, hash)
);
CREATE INDEX needed_texts_hash ON needed_texts (hash)`;

/** A value of an enum cannot be removed; nothing uses it afterwards. */
const DOWN = `DROP TABLE needed_texts, texts`;
