import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores tool calls and listings that a session answers its agents from instead of asking tool-runners, how each call ended, and from
 * which session a fork was made. Only adds: an executor of the version before does not run a session with recorded tools
 * (`RECORDED_TOOLS_CHAIN_VERSION`).
 */
export class RecordedTools0000000000055 implements MigrationInterface {
  readonly name = "RecordedTools0000000000055";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * `mcp_interactions.outcome`: what the other columns do not say of how a call ended; null in rows of versions before.
 * `recorded_tool_calls`: `execution_id`, `iteration` and `call_index` are those that the call has in this session if it is made again;
 * the last two are null if they are not known. `used_by` is the id of the call that was answered with the row first.
 */
const UP = `
ALTER TABLE alert_sessions
  ADD COLUMN tools_mode text NOT NULL DEFAULT 'live' CHECK (tools_mode IN ('live', 'recorded')),
  ADD COLUMN forked_from uuid,
  ADD COLUMN forked_at_seq integer,
  ADD COLUMN fork_changes jsonb;
CREATE INDEX alert_sessions_forked_from ON alert_sessions (forked_from, created_at) WHERE forked_from IS NOT NULL;
ALTER TABLE mcp_interactions ADD COLUMN outcome jsonb;
CREATE TABLE recorded_tool_calls (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  ordinal integer NOT NULL,
  execution_id uuid NOT NULL,
  iteration integer,
  call_index integer,
  server_name text NOT NULL,
  tool_name text NOT NULL,
  arguments jsonb NOT NULL,
  outcome jsonb NOT NULL,
  kept jsonb,
  used_by text,
  PRIMARY KEY (session_id, ordinal)
);
CREATE INDEX recorded_tool_calls_tool ON recorded_tool_calls (session_id, server_name, tool_name, ordinal);
CREATE TABLE recorded_tool_lists (
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  execution_id uuid NOT NULL,
  server_name text NOT NULL,
  ordinal integer NOT NULL,
  available_tools jsonb NOT NULL,
  tool_result jsonb,
  error_message text,
  PRIMARY KEY (session_id, execution_id, server_name)
)`;

/**
 * A session that has to be answered from the record must not run without it. The views of the past depend on the columns; the next
 * migration makes them anew.
 */
const DOWN = `
DO $$ BEGIN
  IF EXISTS (SELECT FROM alert_sessions WHERE tools_mode = 'recorded' AND status IN ('pending', 'in_progress')) THEN
    RAISE EXCEPTION 'sessions with recorded tools still run: cancel them first';
  END IF;
END $$;
DROP TABLE recorded_tool_lists;
DROP TABLE recorded_tool_calls;
ALTER TABLE mcp_interactions DROP COLUMN outcome CASCADE;
DROP INDEX alert_sessions_forked_from;
ALTER TABLE alert_sessions
  DROP COLUMN tools_mode CASCADE, DROP COLUMN forked_from CASCADE, DROP COLUMN forked_at_seq CASCADE,
  DROP COLUMN fork_changes CASCADE`;
