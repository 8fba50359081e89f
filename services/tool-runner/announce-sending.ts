import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ToolCallRequest } from "#shared/contracts/tool-call.ts";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import { CallAborted } from "./failed-outcome.ts";

const RETRY_MS = 200;

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
    await pause(jitter(RETRY_MS), signal);
  }
}
