import { LRUCache } from "lru-cache";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { hashResolvedChain, storedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";

/** It is noted at most so often that a configuration is used. */
const FRESH = "interval '1 hour'";
/** A session is inserted at most so long after that; less than the day of `SWEEP_CONFIGS`. */
const USABLE = "interval '12 hours'";
const PAGE = 1_000;

/** A chain as it is stored: JSON without what jsonb rejects, and its hash. */
export interface StoredConfig {
  readonly hash: string;
  readonly json: string;
}

/** The chain as `keepConfig` stores it. */
export function storedConfig(chain: ResolvedChain): StoredConfig {
  return { hash: hashResolvedChain(chain), json: postgresSafeJson(storedChain(chain)) };
}

/**
 * Stores the configurations that `given` selects as `(config_hash, config)`, or notes that they are used. It takes no lock of one that was noted
 * within the last hour, so that sessions do not wait for each other.
 */
export const keepConfigs = (given: string): string => `
  INSERT INTO resolved_configs (config_hash, config)
  SELECT config_hash, config FROM (${given}) AS given (config_hash, config) WHERE NOT EXISTS (
    SELECT FROM resolved_configs c WHERE c.config_hash = given.config_hash AND c.used_at > now() - ${FRESH})
  ON CONFLICT (config_hash) DO UPDATE SET used_at = now()`;

const KEEP = keepConfigs("SELECT $1::text, $2::jsonb");

/** Stores a configuration. Call it before the row that refers to it is inserted, which must happen within hours. Throws database errors. */
export async function keepConfig(db: Queryable, { hash, json }: StoredConfig): Promise<void> {
  await db.query(KEEP, [hash, json]);
}

/** Selects the configuration `c` with this hash if a session may be inserted with it, as SQL. */
export const fromKept = (hash: string): string =>
  `FROM resolved_configs c WHERE c.config_hash = ${hash} AND c.used_at > now() - ${USABLE}`;

const IS_KEPT = `SELECT EXISTS (SELECT ${fromKept("$1")}) AS is_kept`;
const parseKept = compileParser("kept configuration", Type.Object({ is_kept: Type.Boolean() }));

/** Whether a session may be inserted with this configuration. Throws database errors. */
export async function isConfigKept(db: Queryable, { hash }: StoredConfig): Promise<boolean> {
  const [row] = await selectRows(db, parseKept, IS_KEPT, [hash]);
  return row?.is_kept === true;
}

/**
 * `keepConfig`, at most every half an hour for each of the last 1,000 configurations. What is inserted must look for it with `fromKept`: the
 * database may have lost it since, and this machine may have slept.
 */
export function configKeeper(db: Queryable): (config: StoredConfig) => Promise<void> {
  const kept = new LRUCache<string, true>({ max: 1_000, ttl: 30 * 60 * 1_000 });
  return async (config) => {
    if (kept.has(config.hash)) return;
    await keepConfig(db, config);
    kept.set(config.hash, true);
  };
}

/** The configuration of the row `owner`, of a session or a follow-up, as SQL; null if it is missing. */
export const configOf = (owner: string): string =>
  `(SELECT c.config FROM resolved_configs c WHERE c.config_hash = ${owner}.config_hash)`;

const READ = "SELECT config FROM resolved_configs WHERE config_hash = $1";
const parseConfig = compileParser(
  "stored configuration",
  Type.Object({ config: Type.Object({}, { additionalProperties: true }) }),
);

/** Reads what `parseResolvedChain` reads; null if it is missing. Throws database errors. */
export async function readConfig(db: Queryable, hash: string): Promise<object | null> {
  const [row] = await selectRows(db, parseConfig, READ, [hash]);
  return row?.config ?? null;
}

/**
 * Removes a page of configurations that nothing needs and returns how many. A session or follow-up is inserted at most 12 hours after it was
 * noted that its configuration is used, and a follow-up later than its session: what was not used since a day before the oldest session is not
 * needed. The age is checked again once a row is locked.
 */
export const SWEEP_CONFIGS = `
WITH oldest AS MATERIALIZED (
  SELECT least(now(), min(first.created_at)) AS at
  FROM unnest(enum_range(NULL::session_status)) AS one (status),
    LATERAL (SELECT s.created_at FROM alert_sessions s WHERE s.status = one.status ORDER BY s.created_at LIMIT 1) AS first
), old AS (
  SELECT config_hash FROM resolved_configs WHERE used_at < (SELECT at FROM oldest) - interval '1 day'
  ORDER BY used_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM resolved_configs c USING old WHERE c.config_hash = old.config_hash RETURNING 1
)
SELECT count(*)::int AS n FROM deleted`;
