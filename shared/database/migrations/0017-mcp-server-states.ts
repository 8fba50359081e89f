import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores what each tool-runner knows of each MCP server. Only adds: the version before runs on this schema. */
export class McpServerStates0000000000017 implements MigrationInterface {
  readonly name = "McpServerStates0000000000017";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** `since` is when the runner began to see the server in this state. */
const UP = `
CREATE TABLE mcp_server_states (
  server text NOT NULL,
  runner uuid NOT NULL,
  host text NOT NULL,
  state text NOT NULL CHECK (state IN ('healthy', 'degraded', 'down', 'misconfigured', 'unused')),
  era text,
  version text,
  tools jsonb NOT NULL,
  error_code text,
  error text,
  last_check_at timestamptz,
  last_error_at timestamptz,
  since timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (server, runner)
)`;

const DOWN = `DROP TABLE mcp_server_states`;
