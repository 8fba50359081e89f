import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { fromKept, isConfigKept, keepConfig } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { NewSession } from "./new-session.ts";
import { KEY_LIFETIME_HOURS, type SubmissionKey } from "./submission-key.ts";

export const parseInserted = compileParser("inserted session", Type.Object({ session_id: Type.String() }));

interface InsertOptions {
  readonly key?: SubmissionKey | undefined;
  readonly reopenedFrom?: string | null;
}

/**
 * Inserts a session with its runtime row, its audit entry and its key, if it has one: one round trip, one commit, where its configuration is
 * stored. Resolves with false only if it has a key, and that is another session's; then nothing was stored. A concurrent insert of the same key
 * waits for the first one's commit. An expired key counts as new. Rejects with database errors.
 */
export async function insertOne(
  db: Queryable,
  session: NewSession,
  options: InsertOptions = {},
): Promise<boolean> {
  const [sql, parameters] = statementFor(session, options);
  const insert = async () => (await selectRows(db, parseInserted, sql, parameters)).length > 0;
  if (await insert()) return true;
  if (options.key !== undefined && (await isConfigKept(db, session.config))) return false;
  // It is gone if the database was restored or has failed over since this process stored it. Perhaps another one has stored it by now.
  await keepConfig(db, session.config);
  const isInserted = await insert();
  if (!isInserted && options.key === undefined) {
    throw new Error("the configuration of a new session does not stay");
  }
  return isInserted;
}

/**
 * The statement has only the parts that its session needs: an insert that finds no rows costs Postgres nearly as much as one that does. It
 * inserts nothing while the session's configuration is missing.
 */
function statementFor(
  session: NewSession,
  { key, reopenedFrom = null }: InsertOptions,
): [sql: string, parameters: unknown[]] {
  const { sessionId, submitter, maskedValues, textHashes, traceContext } = session;
  const parameters: unknown[] = [sessionId];
  const add = (value: unknown, type = "text") => `$${parameters.push(value)}::${type}`;
  const hash = add(session.config.hash);
  const known = fromKept(hash);
  const alertType = add(session.alertType);
  const parts = [
    ...(key === undefined
      ? []
      : [
          `taken AS (
  INSERT INTO idempotency_keys AS existing (key, session_id, request_hash, expires_at)
  SELECT ${add(key.key)}, $1::uuid, ${add(key.requestHash)}, now() + make_interval(hours => ${add(key.keptHours ?? KEY_LIFETIME_HOURS, "integer")}) ${known}
  ON CONFLICT (key) DO UPDATE SET session_id = excluded.session_id, request_hash = excluded.request_hash,
    created_at = now(), expires_at = excluded.expires_at
  WHERE existing.expires_at <= now()
  RETURNING session_id
)`,
        ]),
    `session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, author, runbook_url, mcp_selection,
                              chain_id, config_hash, session_metadata, owner_subject, teams, mask_key,
                              trace_context, slack_message_fingerprint, notify, lane, reopened_from)
  SELECT $1::uuid, ${add(session.data)}, ${alertType}, ${alertType}, ${add(session.author)}, ${add(session.runbook)},
         ${add(session.mcpSelection, "jsonb")}, ${add(session.chainId)}, ${hash},
         ${add(session.metadata, "jsonb")}, ${add(session.owner)}, ${add(session.teams, "text[]")},
         ${add(session.maskKey)}, ${add(traceContext === null ? null : JSON.stringify(traceContext), "jsonb")},
         ${add(session.slackFingerprint)}, ${add(session.notify, "jsonb")}, ${add(session.lane)}, ${add(reopenedFrom, "uuid")}
  ${key === undefined ? known : "FROM taken"} RETURNING alert_sessions.session_id
)`,
    `audited AS (
  INSERT INTO audit_log (service, subject, via, peer, action, session_id, result)
  SELECT 'api', ${add(submitter.subject)}, ${add(submitter.via)}, ${add(submitter.peer)}, 'alert.submit', session_id, 'allowed' FROM session
)`,
    ...(maskedValues.length === 0
      ? []
      : [
          `masked AS (
  INSERT INTO masked_values (session_id, digest, digits, length, kind)
  SELECT session_id, value.* FROM session, json_to_recordset(${add(JSON.stringify(maskedValues), "json")})
    AS value (digest text, digits text, length integer, kind text)
)`,
        ]),
    ...(textHashes.length === 0
      ? []
      : [
          `needed AS (
  INSERT INTO needed_texts (session_id, hash) SELECT session_id, unnest(${add(textHashes, "text[]")}) FROM session
)`,
        ]),
  ];
  const sql = `WITH ${parts.join(", ")}
INSERT INTO session_runtime (session_id) SELECT session_id FROM session RETURNING session_id`;
  return [sql, parameters];
}
