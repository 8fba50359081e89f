import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores what people tell the agents of a running session, and to which agents it was delivered. Only adds. */
export class Steering0000000000031 implements MigrationInterface {
  readonly name = "Steering0000000000031";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * `ordinal` is the session's `inbox_seq` with the message. `targets` are the executions that were open at that time; null if
 * there were none: then the message is for those that start next, after the agent `after_agent` of the stage `after_stage`.
 * `calls` are the timeline rows of the tool calls that are to be skipped.
 */
const UP = `
CREATE TABLE steering_messages (
  message_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  ordinal integer NOT NULL,
  mode text NOT NULL CHECK (mode IN ('note', 'conclude', 'skip_tool')),
  content text,
  author text NOT NULL,
  execution_id uuid,
  targets uuid[],
  after_stage integer NOT NULL,
  after_agent integer NOT NULL,
  calls uuid[] NOT NULL,
  request_hash text,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (session_id, ordinal)
);
CREATE TABLE steering_deliveries (
  message_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  delivered_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (message_id, execution_id)
);
CREATE INDEX steering_deliveries_session ON steering_deliveries (session_id)`;

const DOWN = `
DROP TABLE steering_deliveries;
DROP TABLE steering_messages`;
