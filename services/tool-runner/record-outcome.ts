import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { AuditLog } from "#shared/access/audit-log.ts";
import type { ToolCallOutcome } from "#shared/contracts/tool-call.ts";
import { isDatabaseRetryable } from "#shared/database/database-retryable.ts";
import { readToolCall } from "#shared/database/read-tool-call.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { jitter, pause } from "#shared/pause.ts";
import { toolCallEntry } from "./tool-call-entry.ts";
import type { Database } from "#shared/database/database.ts";

const RETRY_MS = 500;

const RECORD = `
WITH recorded AS (
  UPDATE tool_calls
  SET state = $2, result = $3, is_error = $4, failure = $5, completed_at = now(), alive_until = NULL
  WHERE call_id = $1 AND state = 'running'
  RETURNING call_id, session_id, execution_id, name
), audited AS (
  INSERT INTO audit_log (service, subject, via, action, session_id, result, detail)
  SELECT 'tool-runner', execution_id::text, 'agent', 'tool.call', session_id, coalesce($5, 'completed'),
         jsonb_build_object('call_id', call_id, 'tool', name)
  FROM recorded
)
SELECT call_id, session_id, execution_id, name FROM recorded`;
const parseRecorded = compileParser(
  "recorded tool call",
  Type.Object({
    call_id: Type.String(),
    session_id: Type.String(),
    execution_id: Type.String(),
    name: Type.String(),
  }),
);

/**
 * Records the outcome of a running call, with its entry in the audit log, and returns the outcome in its row, which differs if another runner has failed
 * the call as lost. Retries while Postgres is unavailable or too slow, without timeout; throws the signal's reason when it aborts.
 */
export async function recordOutcome(
  { db, audit, log }: { readonly db: Database; readonly audit: AuditLog; readonly log: Logger },
  callId: string,
  outcome: ToolCallOutcome,
  signal: AbortSignal,
): Promise<ToolCallOutcome> {
  const values =
    outcome.kind === "result"
      ? ["completed", outcome.content, outcome.is_error, null]
      : ["failed", outcome.message, null, outcome.kind];
  for (;;) {
    signal.throwIfAborted();
    try {
      const [recorded] = await selectRows(db, parseRecorded, RECORD, [callId, ...values]);
      if (recorded !== undefined) {
        const result = outcome.kind === "result" ? "completed" : outcome.kind;
        audit.logOnly({ ...toolCallEntry(recorded), result });
        return outcome;
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
