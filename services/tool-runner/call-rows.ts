import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { AuditLog } from "#shared/access/audit-log.ts";
import type { ToolCallOutcome } from "#shared/contracts/tool-call.ts";
import { KEPT_RESULT_LIMITS } from "#shared/contracts/result-sizes.ts";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import { readToolCall } from "#shared/database/read-tool-call.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { EndedCall } from "./run-tool.ts";
import { toolCallEntry } from "#shared/access/tool-call-entry.ts";
import type { Database } from "#shared/database/database.ts";

const RETRY_MS = 500;

const ROOM = `
room AS MATERIALIZED (
  SELECT coalesce(sum(t.bytes), 0) + $7::int <= ${KEPT_RESULT_LIMITS.session} AS is_left
  FROM tool_results t WHERE t.session_id = (SELECT c.session_id FROM tool_calls c WHERE c.call_id = $1)
),`;
const KEEP = `
kept AS (
  INSERT INTO tool_results (call_id, session_id, bytes, lines, content)
  SELECT $11::text, session_id, $7::int, $8::int, $9::text FROM recorded WHERE is_kept
),`;

/** `keeps`: also stores the whole text of a result, or shows the window for one that is not kept. */
const recordStatement = (keeps: boolean) => `
WITH ${keeps ? ROOM : ""} recorded AS (
  UPDATE tool_calls
  SET state = $2, result = ${keeps ? "CASE WHEN room.is_left THEN $3 ELSE $10 END" : "$3"}, is_error = $4, failure = $5,
    completed_at = now(), alive_until = NULL
  ${keeps ? "FROM room" : ""}
  WHERE call_id = $1 AND state = 'running'
  RETURNING call_id, session_id, execution_id, name, ${keeps ? "room.is_left" : "true"} AS is_kept
), ${keeps ? KEEP : ""} stored_values AS (
  INSERT INTO masked_values (session_id, digest, digits, length, kind)
  SELECT session_id, digest, digits, length, kind
  FROM recorded, json_to_recordset($6::json) AS value (digest text, digits text, length integer, kind text)
  ON CONFLICT DO NOTHING
), audited AS (
  INSERT INTO audit_log (service, subject, via, action, session_id, result, detail)
  SELECT 'tool-runner', execution_id::text, 'agent', 'tool.call', session_id, coalesce($5, 'completed'),
         jsonb_build_object('call_id', call_id, 'tool', name)
  FROM recorded
)
SELECT call_id, session_id, execution_id, name, is_kept FROM recorded`;
const parseRecorded = compileParser(
  "recorded tool call",
  Type.Object({
    call_id: Type.String(),
    session_id: Type.String(),
    execution_id: Type.String(),
    name: Type.String(),
    is_kept: Type.Boolean(),
  }),
);
const RECORD = recordStatement(false);
const RECORD_AND_KEEP = recordStatement(true);

/**
 * Records the outcome of a running call, with its entry in the audit log, the values masked in it, and the whole text of a large
 * result. Returns the outcome in its row, which differs if another runner has failed the call as lost, or if the session has no
 * room for the text. Retries while Postgres is unavailable or too slow, without timeout; throws the signal's reason when it aborts.
 */
export async function recordOutcome(
  { db, audit, log }: { readonly db: Database; readonly audit: AuditLog; readonly log: Logger },
  callId: string,
  { outcome, kept, masked }: EndedCall,
  signal: AbortSignal,
): Promise<ToolCallOutcome> {
  const values =
    outcome.kind === "result"
      ? ["completed", outcome.content, outcome.is_error, null]
      : ["failed", outcome.message, null, outcome.kind];
  const keptValues = kept === null ? [] : [kept.bytes, kept.lines, kept.text, kept.windowAlone, kept.handle];
  const statement = kept === null ? RECORD : RECORD_AND_KEEP;
  for (;;) {
    signal.throwIfAborted();
    try {
      const [recorded] = await selectRows(db, parseRecorded, statement, [
        callId,
        ...values,
        JSON.stringify(masked),
        ...keptValues,
      ]);
      if (recorded !== undefined) {
        const result = outcome.kind === "result" ? "completed" : outcome.kind;
        audit.logOnly({ ...toolCallEntry(recorded), result });
        if (recorded.is_kept || kept === null || outcome.kind !== "result") return outcome;
        return { ...outcome, content: kept.windowAlone };
      }
      // Nothing updated: the call was failed as lost, or our own update committed but its reply was lost.
      const call = await readToolCall(db, callId);
      return call?.progress.kind === "over" ? call.progress.outcome : outcome;
    } catch (error) {
      if (!isDatabaseRetryable(error)) throw error;
      log.warn({ call_id: callId, error: errorMessage(error) }, "tool outcome not recorded: retrying");
      await pause(jitter(RETRY_MS), signal);
    }
  }
}
