import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Lets a session have the text of its configured runbook and the reason why the alert's was not fetched. Only loosens: the version
 * before writes one of the two.
 */
export class RunbookSources0000000000041 implements MigrationInterface {
  readonly name = "RunbookSources0000000000041";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
ALTER TABLE session_runbooks DROP CONSTRAINT session_runbooks_check;
ALTER TABLE session_runbooks ADD CONSTRAINT session_runbooks_settled CHECK (hash IS NOT NULL OR failure IS NOT NULL)`;

const DOWN = `
UPDATE session_runbooks SET failure = NULL WHERE hash IS NOT NULL;
ALTER TABLE session_runbooks DROP CONSTRAINT session_runbooks_settled;
ALTER TABLE session_runbooks ADD CONSTRAINT session_runbooks_check CHECK ((hash IS NULL) <> (failure IS NULL))`;
