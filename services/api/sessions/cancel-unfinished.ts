import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { endingEvents } from "#shared/contracts/ending-events.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { SessionEvent, UnstampedPayload } from "#shared/contracts/session-event.ts";
import type { SessionStatus } from "#shared/contracts/statuses.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import type { WakeUp } from "#shared/contracts/wake-up-queue.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { cancelledByUser } from "#shared/errors.ts";

/** A deferred session would wait for its time before anyone could end it. */
const REQUEST_CANCEL = `
WITH requested AS (
  UPDATE session_runtime SET cancel_requested_at = coalesce(cancel_requested_at, now()), not_before = NULL,
    cancel_actor = CASE WHEN cancel_requested_at IS NULL THEN $2 ELSE cancel_actor END
  WHERE session_id = $1
  RETURNING session_id, coalesce(lease_expires_at > clock_timestamp(), false) AS owned
)
SELECT s.lane, requested.owned FROM requested JOIN alert_sessions s USING (session_id)`;
const parseRequested = compileParser(
  "requested cancel",
  Type.Object({ lane: literals(SESSION_LANES), owned: Type.Boolean() }),
);

const CANCEL_PENDING = `
UPDATE alert_sessions SET status = 'cancelled', completed_at = now(), error_message = $2, error_code = 'user'
WHERE session_id = $1`;

const CANCEL_RUNNING = `UPDATE alert_sessions SET status = 'cancelling' WHERE session_id = $1`;

/**
 * Requests the cancel of a locked session that has not ended, in the running transaction: a pending one ends in it, for this `reason`. `actor` is the
 * person or program that wants it, null for none; the first one stays. `wakeUp` is for one that must still be ended and that no executor owns.
 */
export async function cancelUnfinished(
  manager: Queryable,
  { session_id: id, status }: FoundSession,
  { actor, reason = cancelledByUser().message }: { readonly actor: string | null; readonly reason?: string },
): Promise<{ readonly events: readonly SessionEvent[]; readonly wakeUp: WakeUp | undefined }> {
  const isPending = status === "pending";
  const payloads = isPending
    ? await endPending(manager, id, reason)
    : await markCancelling(manager, id, status);
  const [requested] = await selectRows(manager, parseRequested, REQUEST_CANCEL, [id, actor]);
  const events = await appendEvents(manager, id, payloads);
  const needsOwner = !isPending && requested?.owned === false;
  return { events, wakeUp: needsOwner ? { sessionId: id, lane: requested.lane } : undefined };
}

async function endPending(manager: Queryable, id: string, reason: string): Promise<UnstampedPayload[]> {
  await manager.query(CANCEL_PENDING, [id, reason]);
  return endingEvents(id, "cancelled", reason);
}

async function markCancelling(
  manager: Queryable,
  id: string,
  status: SessionStatus,
): Promise<UnstampedPayload[]> {
  if (status === "cancelling") return [];
  await manager.query(CANCEL_RUNNING, [id]);
  return [{ type: "session.status", session_id: id, status: "cancelling" }];
}
