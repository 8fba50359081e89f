import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores which tool calls a person was asked about, and what was decided. Only adds. */
export class Approvals0000000000016 implements MigrationInterface {
  readonly name = "Approvals0000000000016";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** `call_id` is the id of the call's first attempt. */
const UP = `
CREATE TABLE approvals (
  approval_id uuid PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES alert_sessions ON DELETE CASCADE,
  execution_id uuid NOT NULL,
  call_id text NOT NULL UNIQUE,
  tool text NOT NULL,
  arguments text NOT NULL,
  arguments_hash text NOT NULL,
  state text NOT NULL CHECK (state IN ('awaiting_approval', 'approved', 'denied', 'expired')),
  requested_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  decided_at timestamptz,
  decided_by text,
  reason text
);
CREATE INDEX approvals_session ON approvals (session_id)`;

const DOWN = `DROP TABLE approvals`;
