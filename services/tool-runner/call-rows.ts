import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { AuditLog } from "#shared/access/audit-log.ts";
import type { ToolCallOutcome, ToolCallRequest } from "#shared/contracts/tool-call.ts";
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
import { CallAborted } from "./failed-outcome.ts";
import { setTimeout as wait } from "node:timers/promises";

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

const ANNOUNCE_RETRY_MS = 200;

/** Cancelled is the session, or the follow-up that the call belongs to. The share lock orders it with takeovers and cancels, as the one of the claim does: after them nothing is sent. */
const ANNOUNCE = `
WITH held AS MATERIALIZED (
  SELECT w.lease_epoch, w.cancel_requested_at IS NOT NULL OR coalesce((
    SELECT f.follow_up_id = ANY(w.cancelled_follow_ups)
    FROM tool_calls c JOIN agent_executions e USING (execution_id) JOIN follow_ups f ON f.stage_id = e.stage_id
    WHERE c.call_id = $1), false) AS is_cancelled
  FROM tarsy_hold_work($2) w
), sending AS (
  UPDATE tool_calls SET phase = 'sending' FROM held
  WHERE call_id = $1 AND state = 'running' AND epoch = held.lease_epoch AND NOT held.is_cancelled
  RETURNING call_id
)
SELECT EXISTS (SELECT FROM sending) AS is_sending,
       lease_epoch > $3::int AS is_taken_over, is_cancelled
FROM held`;
const parseAnnounced = compileParser(
  "announced tool call",
  Type.Object({ is_sending: Type.Boolean(), is_taken_over: Type.Boolean(), is_cancelled: Type.Boolean() }),
);

/**
 * Commits that a running call may be sent from now on: if this runner is lost later, the call is not made again. Retries while
 * Postgres is unavailable or too slow. Throws CallAborted if the call must not be sent any more, because its session was
 * cancelled or taken over, or because it was given up as lost; throws the signal's reason once it aborts.
 */
export async function announceSending(
  { db, log }: { readonly db: Database; readonly log: Logger },
  { call_id, session_id, epoch }: Pick<ToolCallRequest, "call_id" | "session_id" | "epoch">,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const [found] = await selectRows(db, parseAnnounced, ANNOUNCE, [call_id, session_id, epoch]);
      if (found?.is_sending === true) return;
      if (found?.is_cancelled === true) throw new CallAborted("cancelled", "the session was cancelled");
      throw new CallAborted(
        "runner_stops",
        found?.is_taken_over === true
          ? "another executor has taken the session over"
          : "its runner was taken for dead",
      );
    } catch (error) {
      if (!isDatabaseRetryable(error)) throw error;
      log.warn({ call_id, error: errorMessage(error) }, "tool call waits to be sent: Postgres unavailable");
    }
    await pause(jitter(ANNOUNCE_RETRY_MS), signal);
  }
}

const FIRST_POLL_MS = 25;
const LAST_POLL_MS = 250;

/**
 * Fails a call whose runner is lost: only that runner could have known the real outcome. A call in phase `claimed` was not
 * sent, and cannot be any more: that needs a running row.
 */
const FAIL_LOST = `
WITH lost AS (
  UPDATE tool_calls
  SET state = 'failed', completed_at = now(), alive_until = NULL,
    failure = CASE WHEN read_only OR phase = 'claimed' THEN 'interrupted' ELSE 'outcome_unknown' END,
    result = CASE WHEN read_only OR phase = 'claimed' THEN 'its runner died'
      ELSE 'its runner died; whether it took effect is not known' END
  WHERE call_id = $1 AND state = 'running' AND alive_until < clock_timestamp()
  RETURNING call_id, session_id, execution_id, name, failure
)
INSERT INTO audit_log (service, subject, via, action, session_id, result, detail)
SELECT 'tool-runner', execution_id::text, 'agent', 'tool.call', session_id, failure,
       jsonb_build_object('call_id', call_id, 'tool', name)
FROM lost`;

/**
 * Polls the row of a call that another runner executes, for up to `forMs`, until it has an outcome. Fails the call if
 * that runner is lost. Returns `running` when the time is over. Throws database errors.
 */
export async function pollOutcome(
  db: Database,
  callId: string,
  forMs: number,
): Promise<ToolCallOutcome | { readonly kind: "running" }> {
  const until = performance.now() + forMs;
  for (let delay = FIRST_POLL_MS; ; delay = Math.min(delay * 2, LAST_POLL_MS)) {
    const call = await readToolCall(db, callId);
    if (call?.progress.kind === "over") return call.progress.outcome;
    if (call?.progress.kind === "running" && call.progress.isLost) {
      await db.query(FAIL_LOST, [callId]);
      continue;
    }
    if (performance.now() + delay >= until) return { kind: "running" };
    await wait(delay);
  }
}
