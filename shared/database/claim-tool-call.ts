import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { readToolCall, type RecordedToolCall } from "#shared/database/read-tool-call.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Database } from "#shared/database/database.ts";

/** A running call without a heartbeat from its runner for this long is lost. */
export const CALL_ALIVE_SECONDS = 15;

/** A call, identified by its id, and the lease it belongs to. */
interface ClaimableToolCall {
  readonly callId: string;
  readonly sessionId: string;
  readonly executionId: string;
  readonly epoch: number;
  /** "server.tool" */
  readonly name: string;
  readonly readOnly: boolean;
}

export type ToolCallClaim =
  /** The id was free. Every later claim of it is answered with `taken`. */
  | { readonly kind: "claimed" }
  /** The id was claimed before; `call` is the state of that call. */
  | { readonly kind: "taken"; readonly call: RecordedToolCall }
  | { readonly kind: "refused"; readonly reason: "not_owner" | "session_cancelled" };

/**
 * One statement inserts the id and checks the lease. The share lock orders it with every takeover and cancel: they see
 * a call that was claimed before them, and after them no call is claimed. A function of the owner takes the lock, because
 * a tool-runner may not write to the session's row.
 */
const CLAIM = `
WITH held AS MATERIALIZED (
  SELECT session_id, lease_epoch, lease_expires_at, cancel_requested_at FROM tarsy_hold_lease($2)
), live AS (
  SELECT r.session_id FROM held r JOIN alert_sessions s USING (session_id)
  WHERE r.lease_epoch = $4 AND r.lease_expires_at > clock_timestamp()
    AND r.cancel_requested_at IS NULL AND s.status = 'in_progress' AND s.deleted_at IS NULL
), claimed AS (
  INSERT INTO tool_calls (call_id, session_id, execution_id, epoch, name, read_only, state, alive_until, completed_at)
  SELECT $1::text, live.session_id, $3::uuid, $4::int, $5::text, $6::boolean, $7::tool_call_state,
         CASE WHEN $7 = 'running' THEN clock_timestamp() + make_interval(secs => ${CALL_ALIVE_SECONDS}) END,
         CASE WHEN $7 = 'running' THEN NULL ELSE now() END
  FROM live
  ON CONFLICT (call_id) DO NOTHING
  RETURNING call_id
)
SELECT call_id FROM claimed`;
const parseClaimed = compileParser("claimed tool call", Type.Object({ call_id: Type.String() }));

const IS_CANCELLED = `
SELECT cancel_requested_at IS NOT NULL AS cancelled FROM session_runtime
WHERE session_id = $1 AND lease_epoch = $2`;
const parseCancelled = compileParser("cancelled session", Type.Object({ cancelled: Type.Boolean() }));

/**
 * Claims a call's id permanently: to run the call (`running`), or so that it never runs (`abandoned`). Requires a live
 * lease of the call's epoch on a session that is in progress and not being cancelled.
 */
export async function claimToolCall(
  db: Database,
  call: ClaimableToolCall,
  state: "running" | "abandoned",
): Promise<ToolCallClaim> {
  const claimed = await selectRows(db, parseClaimed, CLAIM, [
    call.callId,
    call.sessionId,
    call.executionId,
    call.epoch,
    call.name,
    call.readOnly,
    state,
  ]);
  if (claimed.length > 0) return { kind: "claimed" };
  // Separate statements: a concurrent claim may have committed after the snapshot of the first one.
  const taken = await readToolCall(db, call.callId);
  if (taken !== undefined) return { kind: "taken", call: taken };
  const [session] = await selectRows(db, parseCancelled, IS_CANCELLED, [call.sessionId, call.epoch]);
  return { kind: "refused", reason: session?.cancelled === true ? "session_cancelled" : "not_owner" };
}
