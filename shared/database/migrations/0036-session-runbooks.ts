import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores what became of the runbook that a session's alert names. Only adds: the version before fetches none. */
export class SessionRunbooks0000000000036 implements MigrationInterface {
  readonly name = "SessionRunbooks0000000000036";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TABLE session_runbooks");
  }
}

/** A row has either the hash of the text or the reason why there is none. */
const UP = `
CREATE TABLE session_runbooks (
  session_id uuid PRIMARY KEY REFERENCES alert_sessions ON DELETE CASCADE,
  hash text REFERENCES texts,
  failure text,
  settled_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((hash IS NULL) <> (failure IS NULL))
)`;
