import { textsOfChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import type { Database } from "#shared/database/database.ts";
import { keepTexts } from "#shared/database/keep-texts.ts";
import { keepConfig, storedConfig } from "#shared/database/resolved-configs.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";

/** A session that was never submitted, to be run offline. */
interface OfflineSession {
  readonly sessionId: string;
  readonly alert: string;
  readonly alertType: string;
  readonly chain: ResolvedChain;
  readonly runbookUrl?: string | null;
  /** JSON. */
  readonly mcpSelection?: object | null;
  /** The code of its frames derives from it; by default a new one. */
  readonly nonce?: string;
  /** The key of its masked placeholders; by default a new one. */
  readonly maskKey?: string;
  /** The texts that the chain refers to. */
  readonly texts?: readonly { readonly hash: string; readonly body: string }[];
}

const INSERT = `
WITH session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, runbook_url, mcp_selection, chain_id, config_hash,
                              prompt_nonce, mask_key)
  VALUES ($1, $2, $3, $3, $4, $5, $6, $7, coalesce($8, gen_random_uuid()::text), coalesce($9, gen_random_uuid()::text))
  RETURNING session_id
), needed AS (
  INSERT INTO needed_texts (session_id, hash) SELECT session_id, unnest($10::text[]) FROM session
)
INSERT INTO session_runtime (session_id) SELECT session_id FROM session`;

/** Inserts a pending session that an offline executor can run. Throws database errors. */
export async function insertOfflineSession(db: Database, session: OfflineSession): Promise<void> {
  const { sessionId, alert, alertType, chain, texts = [] } = session;
  await keepTexts(db, texts);
  const config = storedConfig(chain);
  await keepConfig(db, config);
  await db.query(INSERT, [
    sessionId,
    postgresSafeText(alert).text,
    alertType,
    session.runbookUrl ?? null,
    session.mcpSelection === undefined || session.mcpSelection === null
      ? null
      : JSON.stringify(session.mcpSelection),
    chain.chain_id,
    config.hash,
    session.nonce ?? null,
    session.maskKey ?? null,
    textsOfChain(chain),
  ]);
}
