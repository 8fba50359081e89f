import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores which stages may change things, and whether they did. Only adds: stages of the version before count as
 * investigations, and of these nothing is said.
 */
export class StageTypes0000000000020 implements MigrationInterface {
  readonly name = "StageTypes0000000000020";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** `actions_executed` follows from the records of the calls, `actions_claimed` is the word of the models. */
const UP = `
ALTER TABLE stages
  ADD COLUMN stage_type text NOT NULL DEFAULT 'investigation',
  ADD COLUMN actions_executed boolean,
  ADD COLUMN actions_claimed boolean`;

const DOWN = `
ALTER TABLE stages DROP COLUMN stage_type, DROP COLUMN actions_executed, DROP COLUMN actions_claimed`;
