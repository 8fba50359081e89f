import { setTimeout as wait } from "node:timers/promises";
import type { ToolCallOutcome } from "#shared/contracts/tool-call.ts";
import { readToolCall } from "#shared/database/read-tool-call.ts";
import type { Database } from "#shared/database/database.ts";

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
