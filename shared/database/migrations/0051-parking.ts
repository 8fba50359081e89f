import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores which sessions are asked to give their place up, which have, and how many places each executor has. Only adds: an executor of
 * the version before does not read the request and runs its session to the end (`parks_epoch`).
 */
export class Parking0000000000051 implements MigrationInterface {
  readonly name = "Parking0000000000051";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

const UP = `
ALTER TABLE session_runtime
  ADD COLUMN park_requested_at timestamptz,
  ADD COLUMN park_by text,
  ADD COLUMN park_actor text,
  ADD COLUMN park_reason text,
  ADD COLUMN park_until timestamptz,
  ADD COLUMN parked_at timestamptz,
  ADD COLUMN resumed_at timestamptz,
  ADD COLUMN parkings integer NOT NULL DEFAULT 0,
  ADD COLUMN parks_epoch integer;
ALTER TABLE executors ADD COLUMN slots integer`;

/** A parked session goes on: nobody else would wake it. */
const DOWN = `
UPDATE session_runtime SET not_before = NULL WHERE parked_at IS NOT NULL;
ALTER TABLE executors DROP COLUMN slots;
ALTER TABLE session_runtime
  DROP COLUMN park_requested_at, DROP COLUMN park_by, DROP COLUMN park_actor, DROP COLUMN park_reason, DROP COLUMN park_until,
  DROP COLUMN parked_at, DROP COLUMN resumed_at, DROP COLUMN parkings, DROP COLUMN parks_epoch`;
