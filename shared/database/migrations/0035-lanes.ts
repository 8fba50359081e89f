import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores the lane of each session, in whose place it runs, and which executors read wake-ups with a lane. Only adds: an
 * executor of the version before runs sessions of every lane in the order of their wake-ups.
 */
export class Lanes0000000000035 implements MigrationInterface {
  readonly name = "Lanes0000000000035";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/** The constraint is NOT VALID because checking the existing rows, which have the default, would read the whole table. */
const UP = `
ALTER TABLE alert_sessions ADD COLUMN lane text NOT NULL DEFAULT 'normal';
ALTER TABLE alert_sessions
  ADD CONSTRAINT lane_known CHECK (lane IN ('critical', 'normal', 'low')) NOT VALID;
CREATE INDEX alert_sessions_waiting ON alert_sessions (lane, created_at, session_id)
  WHERE status = 'pending' AND deleted_at IS NULL;
ALTER TABLE session_runtime ADD COLUMN place_id uuid, ADD COLUMN place_epoch integer;
ALTER TABLE executors ADD COLUMN reads_lanes boolean NOT NULL DEFAULT false`;

const DOWN = `
ALTER TABLE executors DROP COLUMN reads_lanes;
ALTER TABLE session_runtime DROP COLUMN place_id, DROP COLUMN place_epoch;
ALTER TABLE alert_sessions DROP COLUMN lane`;
