import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Counts the stages of every session from 1 instead of 0: in `stages`, `current_stage_index` and the stored events. Executors
 * of the version before count from 0 and must not continue such a session, so the stored configuration of each session that
 * may still run gets version 4, which they leave alone, and their leases end: whatever they still do is refused by the fence.
 * A trigger does the same for the sessions that an api of the version before inserts; the release after this one drops it.
 *
 * Sessions that are over are changed first, under locks of their rows only. Then the trigger's lock keeps every other writer
 * of `alert_sessions` out until the commit. `alert_sessions` is always locked before `session_runtime`.
 */
export class StagesFromOne0000000000021 implements MigrationInterface {
  readonly name = "StagesFromOne0000000000021";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query("CREATE TABLE stages_from_one (session_id uuid PRIMARY KEY)");
    await runner.query(
      `INSERT INTO stages_from_one SELECT session_id FROM alert_sessions WHERE status NOT IN ${UNFINISHED}`,
    );
    await shift(runner, 1, "SELECT session_id FROM stages_from_one");
    await runner.query(CREATE_TRIGGER);
    await runner.query(RAISE_VERSION);
    await runner.query(END_LEASES);
    await shift(
      runner,
      1,
      "SELECT session_id FROM alert_sessions EXCEPT SELECT session_id FROM stages_from_one",
    );
    await runner.query("DROP TABLE stages_from_one");
  }

  /** Executors of this version leave a session of version 3 alone, and those of the version before continue it. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP TRIGGER count_stages_from_one ON alert_sessions");
    await runner.query("DROP FUNCTION tarsy_count_stages_from_one()");
    await runner.query(LOWER_VERSION);
    await runner.query(END_LEASES);
    await shift(runner, -1, "SELECT session_id FROM alert_sessions");
  }
}

const UNFINISHED = "('pending', 'in_progress', 'cancelling')";

const isCountedFromZero = (config: string) =>
  `coalesce((${config}->>'version')::integer, 1) < 4 AND jsonb_typeof(${config}->'stages') = 'array'`;

/** The list of stages begins with null, so that `stages->stage_index` is a stage also for tool-runners of the version before. */
const countedFromOne = (config: string) =>
  `${config} || jsonb_build_object('version', 4, 'stages', '[null]'::jsonb || (${config}->'stages'))`;

const CREATE_TRIGGER = `
CREATE FUNCTION tarsy_count_stages_from_one() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  NEW.resolved_config = ${countedFromOne("NEW.resolved_config")};
  RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION tarsy_count_stages_from_one() FROM PUBLIC;
CREATE TRIGGER count_stages_from_one BEFORE INSERT ON alert_sessions FOR EACH ROW
  WHEN (${isCountedFromZero("NEW.resolved_config")}) EXECUTE FUNCTION tarsy_count_stages_from_one()`;

const RAISE_VERSION = `
UPDATE alert_sessions SET resolved_config = ${countedFromOne("resolved_config")}
WHERE status IN ${UNFINISHED} AND ${isCountedFromZero("resolved_config")}`;

const LOWER_VERSION = `
UPDATE alert_sessions
SET resolved_config = resolved_config || jsonb_build_object('version', 3, 'stages', (resolved_config->'stages') - 0)
WHERE resolved_config->>'version' = '4'`;

/** Expired ones, too: their owner may only be paused. */
const END_LEASES = `
UPDATE session_runtime SET lease_epoch = lease_epoch + 1, lease_owner = NULL, lease_expires_at = NULL
WHERE lease_expires_at IS NOT NULL`;

/** Beyond every number of a stage: within a statement, too, the stages of a session have different numbers. */
const ASIDE = 1_000_000;

/** Adds `by` to the numbers of the stages of these sessions. */
async function shift(runner: QueryRunner, by: 1 | -1, sessions: string): Promise<void> {
  await runner.query(`
UPDATE alert_sessions SET current_stage_index = current_stage_index + ${by}
WHERE current_stage_index IS NOT NULL AND session_id IN (${sessions})`);
  await runner.query(
    `UPDATE stages SET stage_index = stage_index + ${ASIDE} WHERE session_id IN (${sessions})`,
  );
  await runner.query(`
UPDATE stages SET stage_index = stage_index - ${ASIDE} + ${by}
WHERE stage_index >= ${ASIDE} AND session_id IN (${sessions})`);
  await runner.query(`
UPDATE events SET payload = payload || CASE WHEN payload ? 'stage_index'
  THEN jsonb_build_object('stage_index', (payload->>'stage_index')::integer + ${by})
  ELSE jsonb_build_object('current_stage_index', (payload->>'current_stage_index')::integer + ${by}) END
WHERE payload->>'type' IN ('stage.started', 'stage.completed', 'session.progress') AND session_id IN (${sessions})`);
}
