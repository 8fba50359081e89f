import { Type } from "typebox";
import type { DataSource } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { SubmissionKey } from "./idempotency-key.ts";
import { RequestError } from "../http/request-error.ts";

/** The columns of a new session, storable as they are; `mcpSelection`, `resolvedConfig` and `metadata` are JSON text. */
export interface NewSession {
  readonly sessionId: string;
  readonly data: string;
  readonly alertType: string;
  readonly author: string;
  readonly runbook: string | null;
  readonly mcpSelection: string | null;
  readonly chainId: string;
  readonly resolvedConfig: string;
  readonly configHash: string;
  readonly metadata: string | null;
}

export const KEY_LIFETIME_HOURS = 24;
const MAX_TRIES = 5;

/**
 * Key, session and runtime row in one statement, so one round trip and one commit. Whoever comes second with a key
 * waits for the first one's commit, and then inserts nothing; a key whose time is over counts as new.
 */
const INSERT_SESSION = `
WITH taken AS (
  INSERT INTO idempotency_keys AS held (key, session_id, request_hash, expires_at)
  SELECT $11::text, $1::uuid, $12::text, now() + make_interval(hours => ${KEY_LIFETIME_HOURS}) WHERE $11 IS NOT NULL
  ON CONFLICT (key) DO UPDATE SET session_id = excluded.session_id, request_hash = excluded.request_hash,
    created_at = now(), expires_at = excluded.expires_at
  WHERE held.expires_at <= now()
  RETURNING session_id
), admitted AS (
  SELECT session_id FROM taken UNION ALL SELECT $1 WHERE $11 IS NULL
), session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, author, runbook_url, mcp_selection,
                              chain_id, resolved_config, config_hash, session_metadata)
  SELECT session_id, $2, $3, $3, $4, $5, $6::jsonb, $7, $8::jsonb, $9, $10::jsonb FROM admitted
  RETURNING session_id
), runtime AS (
  INSERT INTO session_runtime (session_id) SELECT session_id FROM session RETURNING session_id
)
SELECT session_id FROM runtime`;
const parseInserted = compileParser("inserted session", Type.Object({ session_id: Type.String() }));

const FIND = "SELECT session_id, request_hash FROM idempotency_keys WHERE key = $1 AND expires_at > now()";
const parseHeld = compileParser(
  "idempotency key row",
  Type.Object({ session_id: Type.String(), request_hash: Type.String() }),
);

/**
 * Inserts a session, or finds the one that was inserted under the same key before. Throws the key's `conflict` when it
 * stands for another request, and whatever the database answers; then nothing is stored, the key included.
 */
export async function insertSession(
  db: DataSource,
  session: NewSession,
  submission: SubmissionKey | undefined,
): Promise<{ readonly sessionId: string; readonly isReplayed: boolean }> {
  const { sessionId } = session;
  const parameters = [
    sessionId,
    session.data,
    session.alertType,
    session.author,
    session.runbook,
    session.mcpSelection,
    session.chainId,
    session.resolvedConfig,
    session.configHash,
    session.metadata,
    submission?.key ?? null,
    submission?.requestHash ?? null,
  ];
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const inserted = await selectRows(db, parseInserted, INSERT_SESSION, parameters);
    if (inserted.length > 0 || submission === undefined) return { sessionId, isReplayed: false };
    const [held] = await selectRows(db, parseHeld, FIND, [submission.key]);
    // Its time has just run out, so it is free for us.
    if (held === undefined) continue;
    if (submission.conflict !== undefined && held.request_hash !== submission.requestHash) {
      throw submission.conflict;
    }
    return { sessionId: held.session_id, isReplayed: true };
  }
  throw new RequestError(503, "the idempotency key changes hands all the time: try again in a moment", {
    retryAfterSeconds: 1,
  });
}
