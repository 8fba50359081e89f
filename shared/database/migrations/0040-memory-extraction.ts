import type { MigrationInterface, QueryRunner } from "typeorm";

/** Names the strategy and the calls that write memories. Only adds: the version before writes none. */
export class MemoryExtraction0000000000040 implements MigrationInterface {
  readonly name = "MemoryExtraction0000000000040";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(): Promise<void> {
    // A value of an enum cannot be removed; nothing uses it afterwards.
  }
}

const UP = `
ALTER TYPE iteration_strategy ADD VALUE IF NOT EXISTS 'memory-extraction';
ALTER TYPE llm_interaction_type ADD VALUE IF NOT EXISTS 'memory_extraction'`;
