import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Says of work on an ended session whether the search has its words. Only adds: what has ended before is indexed too, and an api
 * of the version before does not look.
 */
export class SearchableFollowUps0000000000044 implements MigrationInterface {
  readonly name = "SearchableFollowUps0000000000044";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** The partial index has few rows: those of the last seconds. */
const UP = `
ALTER TABLE follow_ups ADD COLUMN is_indexed boolean NOT NULL DEFAULT false;
CREATE INDEX follow_ups_to_index ON follow_ups (session_id) WHERE status NOT IN ('pending', 'active') AND NOT is_indexed`;

const DOWN = `
ALTER TABLE follow_ups DROP COLUMN is_indexed`;
