import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { NewSession } from "./new-session.ts";
import { KEY_LIFETIME_HOURS, type SubmissionKey } from "./submission-key.ts";

const parseInserted = compileParser("inserted session", Type.Object({ session_id: Type.String() }));

/**
 * Inserts a session with its runtime row, its audit entry and its key, if it has one: one round trip, one commit. Resolves with false if the
 * key is another session's; then nothing was stored. A concurrent insert of the same key waits for the first one's commit. An expired key
 * counts as new. Rejects with database errors.
 *
 * A statement has only the parts that its session needs: an insert that finds no rows costs Postgres nearly as much as one that does.
 */
export async function insertOne(
  db: Queryable,
  session: NewSession,
  {
    key,
    reopenedFrom = null,
  }: { readonly key?: SubmissionKey | undefined; readonly reopenedFrom?: string | null } = {},
): Promise<boolean> {
  const { sessionId, submitter, maskedValues, textHashes, traceContext } = session;
  const parameters: unknown[] = [sessionId];
  const add = (value: unknown, type = "text") => `$${parameters.push(value)}::${type}`;
  const from = key === undefined ? "" : " FROM taken";
  const alertType = add(session.alertType);
  const parts = [
    ...(key === undefined
      ? []
      : [
          `taken AS (
  INSERT INTO idempotency_keys AS existing (key, session_id, request_hash, expires_at)
  VALUES (${add(key.key)}, $1, ${add(key.requestHash)}, now() + make_interval(hours => ${add(key.keptHours ?? KEY_LIFETIME_HOURS, "integer")}))
  ON CONFLICT (key) DO UPDATE SET session_id = excluded.session_id, request_hash = excluded.request_hash,
    created_at = now(), expires_at = excluded.expires_at
  WHERE existing.expires_at <= now()
  RETURNING session_id
)`,
        ]),
    `session AS (
  INSERT INTO alert_sessions (session_id, alert_data, agent_type, alert_type, author, runbook_url, mcp_selection,
                              chain_id, resolved_config, config_hash, session_metadata, owner_subject, teams, mask_key,
                              trace_context, slack_message_fingerprint, notify, lane, reopened_from)
  SELECT $1::uuid, ${add(session.data)}, ${alertType}, ${alertType}, ${add(session.author)}, ${add(session.runbook)},
         ${add(session.mcpSelection, "jsonb")}, ${add(session.chainId)}, ${add(session.resolvedConfig, "jsonb")},
         ${add(session.configHash)}, ${add(session.metadata, "jsonb")}, ${add(session.owner)}, ${add(session.teams, "text[]")},
         ${add(session.maskKey)}, ${add(traceContext === null ? null : JSON.stringify(traceContext), "jsonb")},
         ${add(session.slackFingerprint)}, ${add(session.notify, "jsonb")}, ${add(session.lane)}, ${add(reopenedFrom, "uuid")}${from}
)`,
    `audited AS (
  INSERT INTO audit_log (service, subject, via, peer, action, session_id, result)
  SELECT 'api', ${add(submitter.subject)}, ${add(submitter.via)}, ${add(submitter.peer)}, 'alert.submit', $1::uuid, 'allowed'${from}
)`,
    ...(maskedValues.length === 0
      ? []
      : [
          `masked AS (
  INSERT INTO masked_values (session_id, digest, digits, length, kind)
  SELECT $1::uuid, value.* FROM json_to_recordset(${add(JSON.stringify(maskedValues), "json")})
    AS value (digest text, digits text, length integer, kind text)${key === undefined ? "" : ", taken"}
)`,
        ]),
    ...(textHashes.length === 0
      ? []
      : [
          `needed AS (
  INSERT INTO needed_texts (session_id, hash) SELECT $1::uuid, unnest(${add(textHashes, "text[]")})${from}
)`,
        ]),
  ];
  const statement = `WITH ${parts.join(", ")}
INSERT INTO session_runtime (session_id) SELECT $1::uuid${from} RETURNING session_id`;
  const inserted = await selectRows(db, parseInserted, statement, parameters);
  return inserted.length > 0;
}
