import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { TOOL_STRATEGIES } from "#shared/contracts/resolved-chain.ts";
import { attemptId, toolCallId } from "#shared/contracts/tool-call-id.ts";
import {
  CLAIM_REFUSALS,
  MAX_CALLS_PER_ANSWER,
  type CallPosition,
  type ClaimRefusal,
} from "#shared/contracts/tool-call.ts";
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

/** What a call is claimed for: that it never runs, or to run a tool of this server at this place of the conversation. */
type ClaimPurpose =
  | "abandoned"
  | {
      /** The server of the tool, which the tool's name begins with. */
      readonly server: string;
      /** Undefined for a call of an executor that does not tell it. */
      readonly position: CallPosition | undefined;
    };

export type ToolCallClaim =
  /** The id was free. Every later claim of it is answered with `taken`. */
  | { readonly kind: "claimed" }
  /** The id was claimed before; `call` is the state of that call. */
  | { readonly kind: "taken"; readonly call: RecordedToolCall }
  | { readonly kind: "refused"; readonly reason: "not_owner" | "session_cancelled" | ClaimRefusal };

/**
 * One statement inserts the id, and checks the lease and that the configuration stored with the session gives the
 * execution this tool. The share lock orders it with every takeover and cancel: they see a call that was claimed before
 * them, and after them no call is claimed. A function of the owner takes the lock, because a tool-runner may not write to
 * the session's row.
 */
const CLAIM = `
WITH held AS MATERIALIZED (
  SELECT session_id, lease_epoch, lease_expires_at, cancel_requested_at FROM tarsy_hold_lease($2)
), live AS MATERIALIZED (
  SELECT r.session_id, CASE
    WHEN $7::text = 'abandoned' THEN NULL
    WHEN $11::int >= ${MAX_CALLS_PER_ANSWER} THEN 'too_many_calls'
    WHEN coalesce(agent.config->>'iteration_strategy' IN (${TOOL_STRATEGIES.map((name) => `'${name}'`).join()})
           AND agent.config->'mcp_servers' ? $8::text
           AND coalesce(agent.config->'tool_choice'->$8::text ? $9::text, true), false) IS FALSE THEN 'tool_not_allowed'
    WHEN $10::int <> (e.iteration_state->>'iteration')::int THEN 'not_requested'
  END AS refusal
  FROM held r JOIN alert_sessions s USING (session_id)
    LEFT JOIN agent_executions e ON e.execution_id = $3 AND e.session_id = r.session_id
    LEFT JOIN stages g ON g.stage_id = e.stage_id
    LEFT JOIN LATERAL (
      SELECT s.resolved_config->'stages'->g.stage_index->'agents'->(e.agent_index - 1) AS config) agent ON true
  WHERE r.lease_epoch = $4 AND r.lease_expires_at > clock_timestamp()
    AND r.cancel_requested_at IS NULL AND s.status = 'in_progress' AND s.deleted_at IS NULL
), claimed AS (
  INSERT INTO tool_calls (call_id, session_id, execution_id, epoch, name, read_only, state, alive_until, completed_at)
  SELECT $1::text, live.session_id, $3::uuid, $4::int, $5::text, $6::boolean, $7::text::tool_call_state,
         CASE WHEN $7::text = 'running' THEN clock_timestamp() + make_interval(secs => ${CALL_ALIVE_SECONDS}) END,
         CASE WHEN $7::text = 'running' THEN NULL ELSE now() END
  FROM live
  WHERE live.refusal IS NULL
  ON CONFLICT (call_id) DO NOTHING
  RETURNING call_id
)
SELECT (SELECT call_id FROM claimed) AS call_id, (SELECT refusal FROM live) AS refusal`;
const parseClaimed = compileParser(
  "claimed tool call",
  Type.Object({
    call_id: Type.Union([Type.String(), Type.Null()]),
    refusal: Type.Union([literals(CLAIM_REFUSALS), Type.Null()]),
  }),
);
/** No answer has this number. */
const NO_ITERATION = 0;

const IS_CANCELLED = `
SELECT cancel_requested_at IS NOT NULL AS cancelled FROM session_runtime
WHERE session_id = $1 AND lease_epoch = $2`;
const parseCancelled = compileParser("cancelled session", Type.Object({ cancelled: Type.Boolean() }));

/**
 * Claims a call's id permanently: to run the call, or so that it never runs (`abandoned`). Requires a live lease of the
 * call's epoch on a session that is in progress and not being cancelled. To run, the tool must be one that the session's
 * stored configuration gives the execution, and the id that of one of the first calls of the execution's newest answer;
 * such a refusal is the same whenever the claim is repeated.
 */
export async function claimToolCall(
  db: Database,
  call: ClaimableToolCall,
  purpose: ClaimPurpose,
): Promise<ToolCallClaim> {
  const [claimed] = await selectRows(db, parseClaimed, CLAIM, [
    call.callId,
    call.sessionId,
    call.executionId,
    call.epoch,
    call.name,
    call.readOnly,
    ...purposeValues(call, purpose),
  ]);
  const { call_id = null, refusal = null } = claimed ?? {};
  if (call_id !== null) return { kind: "claimed" };
  if (refusal !== null) return { kind: "refused", reason: refusal };
  // Separate statements: a concurrent claim may have committed after the snapshot of the first one.
  const taken = await readToolCall(db, call.callId);
  if (taken !== undefined) return { kind: "taken", call: taken };
  const [session] = await selectRows(db, parseCancelled, IS_CANCELLED, [call.sessionId, call.epoch]);
  return { kind: "refused", reason: session?.cancelled === true ? "session_cancelled" : "not_owner" };
}

/** State, server, tool, iteration and index. */
function purposeValues(call: ClaimableToolCall, purpose: ClaimPurpose): (string | number | null)[] {
  if (purpose === "abandoned") return ["abandoned", null, null, null, null];
  const { server, position } = purpose;
  const values = ["running", server, call.name.slice(server.length + 1)];
  if (position === undefined) return [...values, null, null];
  const { iteration, index, attempt } = position;
  const expected = attemptId(toolCallId(call.executionId, position), attempt);
  return [...values, expected === call.callId.toLowerCase() ? iteration : NO_ITERATION, index];
}
