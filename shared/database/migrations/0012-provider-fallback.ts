import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores which provider answers an agent's calls, which one did at first, and which providers are away. Only adds: executors
 * of the version before run on this schema.
 */
export class ProviderFallback0000000000012 implements MigrationInterface {
  readonly name = "ProviderFallback0000000000012";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

/**
 * `llm_circuits`: a row exists while a provider fails. It is away once `opened_at` is set; from `probe_at` on one executor
 * at a time may call it, the one whose call `probe_by` names, until `probe_until`.
 */
const UP = `
ALTER TYPE timeline_event_type ADD VALUE IF NOT EXISTS 'provider_fallback';
ALTER TABLE agent_executions
  ADD COLUMN llm_backend text,
  ADD COLUMN model_name text,
  ADD COLUMN original_llm_provider text,
  ADD COLUMN original_llm_backend text,
  ADD COLUMN original_model_name text;
CREATE TABLE llm_circuits (
  provider text NOT NULL,
  entry_hash text NOT NULL,
  first_failure_at timestamptz NOT NULL DEFAULT now(),
  first_session uuid NOT NULL,
  last_error text NOT NULL,
  opened_at timestamptz,
  failed_probes integer NOT NULL DEFAULT 0,
  probe_at timestamptz,
  probe_by uuid,
  probe_until timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, entry_hash)
)`;

/** A value of an enum cannot be removed; nothing uses it afterwards. */
const DOWN = `
DROP TABLE llm_circuits;
ALTER TABLE agent_executions
  DROP COLUMN llm_backend, DROP COLUMN model_name,
  DROP COLUMN original_llm_provider, DROP COLUMN original_llm_backend, DROP COLUMN original_model_name`;
