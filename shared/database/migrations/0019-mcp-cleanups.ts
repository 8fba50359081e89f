import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores which MCP servers are to be told when an execution ends. Only adds: the version before runs on this schema. */
export class McpCleanups0000000000019 implements MigrationInterface {
  readonly name = "McpCleanups0000000000019";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * One row for each server with a `session_cleanup_url` that an execution has called. `ended_at`: the execution has ended, and
 * the server is told from `due_at` on. Without a foreign key: the server must be told also of a session that was erased.
 */
const UP = `
CREATE TABLE mcp_cleanups (
  server text NOT NULL,
  execution_id uuid NOT NULL,
  session_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  due_at timestamptz,
  tries integer NOT NULL DEFAULT 0,
  PRIMARY KEY (server, execution_id)
)`;

const DOWN = `DROP TABLE mcp_cleanups`;
