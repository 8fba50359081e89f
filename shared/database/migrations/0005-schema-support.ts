import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores the number of a migration that a process must know to use this schema. Only a migration that removes or changes
 * what older processes use raises it; `check-schema-support.ts` reads it, and docs/upgrading.md has the rules.
 */
export class SchemaSupport0000000000005 implements MigrationInterface {
  readonly name = "SchemaSupport0000000000005";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
CREATE TABLE schema_support (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  needs_migration integer NOT NULL
);
INSERT INTO schema_support (needs_migration) VALUES (0)`;

const DOWN = "DROP TABLE schema_support";
