import { randomUUID } from "node:crypto";
import type { Cassette } from "#shared/cassette/cassette.ts";
import {
  hashResolvedChain,
  storedChain,
  textsOfChain,
  type ResolvedChain,
} from "#shared/contracts/resolved-chain.ts";
import type { Database } from "#shared/database/database.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { keepTexts } from "#shared/database/keep-texts.ts";
import { insertRecordedTools } from "./insert-recorded-tools.ts";

const INSERT = `
WITH session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, runbook_url, mcp_selection, session_metadata, chain_id,
                              resolved_config, config_hash, prompt_nonce, tools_mode)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'recorded') RETURNING session_id),
needed AS (
  INSERT INTO needed_texts (session_id, hash) SELECT session_id, unnest($12::text[]) FROM session)
INSERT INTO session_runtime (session_id) SELECT session_id FROM session`;

const INSERT_RUNBOOK = "INSERT INTO session_runbooks (session_id, hash, failure) VALUES ($1, $2, $3)";

/** Everything that a cell's session begins with. */
interface CellSession {
  /** With the codes of the frames of `nonce`. */
  readonly cassette: Cassette;
  readonly nonce: string;
  readonly chain: ResolvedChain;
  /** The bodies of the texts that the chain refers to, by hash. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Inserts a pending session with a cassette's alert, runbook and tools, and returns its new id. Throws database errors. */
export async function insertCellSession(
  db: Database,
  { cassette, nonce, chain, texts }: CellSession,
): Promise<string> {
  const sessionId = randomUUID();
  const { session, runbook } = cassette;
  const runbookText = runbook?.text ?? null;
  const runbookHash = runbookText === null ? null : textHash(runbookText);
  const hashes = [...textsOfChain(chain), ...(runbookHash === null ? [] : [runbookHash])];
  await keepTexts(db, [
    ...Object.entries(texts).map(([hash, body]) => ({ hash, body })),
    ...(runbookText === null || runbookHash === null ? [] : [{ hash: runbookHash, body: runbookText }]),
  ]);
  await db.transaction(async (transaction) => {
    await transaction.query(INSERT, [
      sessionId,
      session.alert_data,
      session.agent_type,
      session.alert_type,
      session.runbook_url,
      jsonOrNull(session.mcp_selection),
      jsonOrNull(session.session_metadata),
      chain.chain_id,
      JSON.stringify(storedChain(chain, "recorded")),
      hashResolvedChain(chain),
      nonce,
      hashes,
    ]);
    if (runbook !== null) await transaction.query(INSERT_RUNBOOK, [sessionId, runbookHash, runbook.failure]);
    await insertRecordedTools(transaction, sessionId, cassette);
  });
  return sessionId;
}

function jsonOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
