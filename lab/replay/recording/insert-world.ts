import type { ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { keepTexts } from "#shared/database/keep-texts.ts";
import { keepConfig, storedConfig } from "#shared/database/resolved-configs.ts";
import { callKey, normaliseCall } from "#shared/worlds/normalise-call.ts";
import { sha256 } from "#shared/worlds/world-hash.ts";
import type { World } from "#shared/worlds/world-format.ts";

const WORLD = `
WITH world AS (
  INSERT INTO worlds (hash, servers, miss) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING hash)
INSERT INTO world_answers (hash, ordinal, tool, args, key_hash, match, nth, text, is_error)
SELECT hash, ordinal, tool, args, key_hash, match, nth, text, is_error
FROM world, json_to_recordset($4::json) AS a (ordinal integer, tool text, args jsonb, key_hash text, match text, nth integer, text text,
  is_error boolean)`;

const SESSION = `
WITH session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, chain_id, config_hash, tools_mode, world_hash)
  VALUES ($1, $2, $3, $3, $4, $5, 'recorded', $6) RETURNING session_id)
INSERT INTO session_runtime (session_id) SELECT session_id FROM session`;

/** Inserts a world from which sessions have their tools answered, unless it is there. Throws database errors. */
export async function insertWorld(
  db: Queryable,
  { world, hash }: { readonly world: World; readonly hash: string },
): Promise<void> {
  const rules = new Map(
    world.servers.flatMap(({ id, tools }) => tools.map((tool) => [`${id}.${tool.name}`, tool.normalise])),
  );
  const answers = world.answers.map(
    ({ tool, args, match = "equal", nth = 1, text, is_error = false }, ordinal) => {
      const key_hash = sha256(callKey(normaliseCall(rules.get(tool), args)));
      return { ordinal, tool, args, key_hash, match, nth, text, is_error };
    },
  );
  await db.query(WORLD, [hash, JSON.stringify(world.servers), world.miss.text, JSON.stringify(answers)]);
}

/** A session of a world that was inserted. */
interface WorldSession {
  readonly sessionId: string;
  readonly hash: string;
  /** Masked. */
  readonly alertData: string;
  readonly chain: ResolvedChain;
  /** The texts that the chain refers to, by hash. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Inserts a pending session whose tools a world answers. Throws database errors. */
export async function insertWorldSession(
  db: Queryable,
  { sessionId, hash, alertData, chain, texts }: WorldSession,
): Promise<void> {
  await keepTexts(
    db,
    Object.entries(texts).map(([key, body]) => ({ hash: key, body })),
  );
  const config = storedConfig(chain);
  await keepConfig(db, config);
  await db.query(SESSION, [sessionId, alertData, chain.alert_type, chain.chain_id, config.hash, hash]);
}
