import type { ExecutorFixture } from "./executor-fixture.ts";

/** Decides the open questions of a session, or those with these arguments, as the api does, without its events and its wake-up. */
export async function decide(
  executor: ExecutorFixture,
  id: string,
  state: "approved" | "denied",
  reason: string | null = null,
  argumentsText: string | null = null,
): Promise<void> {
  await executor.query(
    `WITH told AS (
       UPDATE session_runtime SET inbox_seq = inbox_seq + 1, not_before = NULL WHERE session_id = $1 RETURNING session_id)
     UPDATE approvals SET state = $2, reason = $3, decided_at = now(), decided_by = 'jane' FROM told
     WHERE approvals.session_id = told.session_id AND state = 'awaiting_approval'
       AND arguments = coalesce($4, arguments)`,
    [id, state, reason, argumentsText],
  );
}
