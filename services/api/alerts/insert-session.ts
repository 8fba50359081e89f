import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Database } from "#shared/database/database.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { RequestError } from "../http/request-error.ts";
import type { NewSession } from "./new-session.ts";
import type { SessionInserts } from "./session-inserts.ts";
import type { SubmissionKey } from "./submission-key.ts";

export const KEY_LIFETIME_HOURS = 24;
const MAX_TRIES = 5;
/** A longer alert has a statement of its own, so that shorter ones do not wait for it. */
const MAX_SHARED_CHARACTERS = 32_768;

/**
 * Inserts key, session, runtime row and audit entry in one statement: one round trip, one commit. A concurrent insert of the same key
 * waits for the first one's commit and then inserts nothing. An expired key counts as new.
 */
const INSERT_SESSION = `
WITH taken AS (
  INSERT INTO idempotency_keys AS existing (key, session_id, request_hash, expires_at)
  SELECT $11::text, $1::uuid, $12::text, now() + make_interval(hours => $21) WHERE $11 IS NOT NULL
  ON CONFLICT (key) DO UPDATE SET session_id = excluded.session_id, request_hash = excluded.request_hash,
    created_at = now(), expires_at = excluded.expires_at
  WHERE existing.expires_at <= now()
  RETURNING session_id
), admitted AS (
  SELECT session_id FROM taken UNION ALL SELECT $1 WHERE $11 IS NULL
), session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, author, runbook_url, mcp_selection,
                              chain_id, resolved_config, config_hash, session_metadata, owner_subject, teams, mask_key,
                              trace_context, slack_message_fingerprint, notify, lane, reopened_from)
  SELECT session_id, $2, $3, $3, $4, $5, $6::jsonb, $7, $8::jsonb, $9, $10::jsonb, $13, $14::text[], $18, $20::jsonb, $22, $24::jsonb, $25, $26::uuid
  FROM admitted
  RETURNING session_id
), audited AS (
  INSERT INTO audit_log (service, subject, via, peer, action, session_id, result)
  SELECT 'api', $15, $16, $17, 'alert.submit', session_id, 'allowed' FROM session
), masked AS (
  INSERT INTO masked_values (session_id, digest, digits, length, kind)
  SELECT session_id, digest, digits, length, kind
  FROM session, json_to_recordset($19::json) AS value (digest text, digits text, length integer, kind text)
), needed AS (
  INSERT INTO needed_texts (session_id, hash) SELECT session_id, unnest($23::text[]) FROM session
), runtime AS (
  INSERT INTO session_runtime (session_id) SELECT session_id FROM session RETURNING session_id
)
SELECT session_id FROM runtime`;
const parseInserted = compileParser("inserted session", Type.Object({ session_id: Type.String() }));

const FIND_KEY =
  "SELECT session_id, request_hash FROM idempotency_keys WHERE key = $1 AND expires_at > now()";
export const KEEP_KEY =
  "UPDATE idempotency_keys SET expires_at = now() + make_interval(hours => $2) WHERE key = $1";
const parseKey = compileParser(
  "idempotency key row",
  Type.Object({ session_id: Type.String(), request_hash: Type.String() }),
);

/** Inserts a session that no key can be held against, in the running transaction. */
export async function insertWithoutKey(
  transaction: Queryable,
  session: NewSession,
  reopenedFrom: string | null,
): Promise<void> {
  const parameters = sessionParameters(session, undefined, reopenedFrom);
  await selectRows(transaction, parseInserted, INSERT_SESSION, parameters);
}

function sessionParameters(
  session: NewSession,
  key: SubmissionKey | undefined,
  reopenedFrom: string | null = null,
): unknown[] {
  return [
    session.sessionId,
    session.data,
    session.alertType,
    session.author,
    session.runbook,
    session.mcpSelection,
    session.chainId,
    session.resolvedConfig,
    session.configHash,
    session.metadata,
    key?.key ?? null,
    key?.requestHash ?? null,
    session.owner,
    session.teams,
    session.submitter.subject,
    session.submitter.via,
    session.submitter.peer,
    session.maskKey,
    JSON.stringify(session.maskedValues),
    session.traceContext === null ? null : JSON.stringify(session.traceContext),
    key?.keptHours ?? KEY_LIFETIME_HOURS,
    session.slackFingerprint,
    session.textHashes,
    session.notify,
    session.lane,
    reopenedFrom,
  ];
}

/**
 * Inserts a session, or returns the one that was inserted with the same key before. Throws the key's `conflict` if that
 * was a different request, and database errors; in both cases neither session nor key is stored.
 */
export async function insertSession(
  { db, inserts }: { readonly db: Database; readonly inserts: SessionInserts },
  session: NewSession,
  key: SubmissionKey | undefined,
): Promise<{ readonly sessionId: string; readonly isReplayed: boolean }> {
  const { sessionId } = session;
  if (key === undefined && session.data.length <= MAX_SHARED_CHARACTERS) {
    await inserts.insert(session);
    return { sessionId, isReplayed: false };
  }
  const parameters = sessionParameters(session, key);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const inserted = await selectRows(db, parseInserted, INSERT_SESSION, parameters);
    if (inserted.length > 0 || key === undefined) return { sessionId, isReplayed: false };
    const [existing] = await selectRows(db, parseKey, FIND_KEY, [key.key]);
    // The key has expired since the insert: the next try can take it.
    if (existing === undefined) continue;
    if (key.conflict !== undefined && existing.request_hash !== key.requestHash) throw key.conflict;
    if (key.keptHours !== undefined) await db.query(KEEP_KEY, [key.key, key.keptHours]);
    return { sessionId: existing.session_id, isReplayed: true };
  }
  throw new RequestError(503, "the idempotency key changes hands all the time: try again in a moment", {
    retryAfterSeconds: 1,
  });
}
