import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";

/** Failures count together if they are at most this far apart, in seconds. */
const WINDOW_SECONDS = 60;
/** An executor that makes a probe shows every second that it does; after this time without, another may make one. */
const PROBE_LEASE_SECONDS = 10;
const FIRST_PROBE_SECONDS = 5;
const LAST_PROBE_SECONDS = 30;

export const parseCircuit = compileParser(
  "circuit of an LLM provider",
  Type.Object({
    provider: Type.String(),
    entry_hash: Type.String(),
    last_error: Type.String(),
    /** Milliseconds until a probe may be made; negative once it may. */
    probe_in_ms: Type.Number(),
  }),
);

const COLUMNS = `provider, entry_hash, last_error,
  (extract(epoch FROM greatest(probe_at, probe_until) - clock_timestamp()) * 1000)::float8 AS probe_in_ms`;

/** Every provider that counts as away. `$1`: the probes that this executor makes. */
export const READ_OPEN = `
WITH kept AS (
  UPDATE llm_circuits SET probe_until = now() + make_interval(secs => ${PROBE_LEASE_SECONDS})
  WHERE probe_by = ANY($1::uuid[])
)
SELECT ${COLUMNS} FROM llm_circuits WHERE opened_at IS NOT NULL`;

/** The same while this executor makes no probe: it writes nothing. */
export const READ_OPEN_ONLY = `SELECT ${COLUMNS} FROM llm_circuits WHERE opened_at IS NOT NULL`;

/** More than the time that a report may take to the database. */
const REPORT_SECONDS = 1;

/**
 * The known failures no longer count: the first failure is too old, or a call has succeeded since. `$6`: milliseconds
 * since this executor's last success; null if it had none.
 */
const IS_STALE = `(c.opened_at IS NULL AND (c.first_failure_at < now() - make_interval(secs => ${WINDOW_SECONDS})
  OR c.first_failure_at < now() - make_interval(secs => ${REPORT_SECONDS} + $6::float8 / 1000)))`;
const OPENS = `(c.opened_at IS NULL AND NOT coalesce(${IS_STALE}, false) AND c.first_session <> $3)`;
const IS_PROBE = `coalesce(c.probe_by = $5, false)`;
const DELAY = `make_interval(secs => least(${LAST_PROBE_SECONDS}, ${FIRST_PROBE_SECONDS} * power(2, least(c.failed_probes + 1, 10))))`;

/**
 * A call of session `$3` failed by an outage; `$5` is its probe, if it was one. The second session to fail opens the
 * circuit, so that a conversation which a provider cannot process does not stop all others. Returns a row once it is open.
 */
export const REPORT_FAILURE = `
WITH old AS (
  DELETE FROM llm_circuits WHERE updated_at < now() - interval '1 day' AND (provider, entry_hash) <> ($1, $2)
), reported AS (
  INSERT INTO llm_circuits AS c (provider, entry_hash, first_session, last_error) VALUES ($1, $2, $3, $4)
  ON CONFLICT (provider, entry_hash) DO UPDATE SET
    first_failure_at = CASE WHEN ${IS_STALE} THEN now() ELSE c.first_failure_at END,
    first_session = CASE WHEN ${IS_STALE} THEN $3 ELSE c.first_session END,
    last_error = $4,
    opened_at = CASE WHEN ${OPENS} THEN now() ELSE c.opened_at END,
    failed_probes = c.failed_probes + CASE WHEN ${IS_PROBE} THEN 1 ELSE 0 END,
    probe_at = CASE WHEN ${OPENS} THEN now() + make_interval(secs => ${FIRST_PROBE_SECONDS})
               WHEN ${IS_PROBE} THEN now() + ${DELAY} ELSE c.probe_at END,
    probe_by = CASE WHEN ${IS_PROBE} THEN NULL ELSE c.probe_by END,
    probe_until = CASE WHEN ${IS_PROBE} THEN NULL ELSE c.probe_until END,
    updated_at = now()
  RETURNING *
)
SELECT ${COLUMNS} FROM reported WHERE opened_at IS NOT NULL`;

/** Takes the right to make the probe `$3`; without a row another one is being made, none is due, or none is needed. */
export const CLAIM_PROBE = `
UPDATE llm_circuits SET probe_by = $3, probe_until = now() + make_interval(secs => ${PROBE_LEASE_SECONDS}),
  updated_at = now()
WHERE provider = $1 AND entry_hash = $2 AND opened_at IS NOT NULL AND probe_at <= now()
  AND (probe_until IS NULL OR probe_until <= now())
RETURNING ${COLUMNS}`;

/** A probe that ended without an answer to the question, e.g. cancelled. */
export const GIVE_UP_PROBE = `
UPDATE llm_circuits SET probe_by = NULL, probe_until = NULL WHERE provider = $1 AND entry_hash = $2 AND probe_by = $3`;

export const CLOSE = `DELETE FROM llm_circuits WHERE provider = $1 AND entry_hash = $2`;
