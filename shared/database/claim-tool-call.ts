import { isNull } from "#shared/database/connection/statement-limits.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CALL_ALIVE_MS } from "#shared/contracts/durations.ts";
import { literals } from "#shared/contracts/literals.ts";
import { TOOL_STRATEGIES } from "#shared/contracts/resolved-chain.ts";
import type { ToolEffect, GateClass } from "#shared/contracts/tool-list.ts";
import {
  attemptId,
  toolCallId,
  CLAIM_REFUSALS,
  MAX_CALLS_PER_ANSWER,
  type CallPosition,
  type ClaimRefusal,
} from "#shared/contracts/tool-call.ts";
import { readToolCall, type ClaimedToolCall } from "#shared/database/read-tool-call.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import type { Database } from "#shared/database/database.ts";

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
      readonly position: CallPosition;
      readonly effect: ToolEffect;
      /** The id of the runner that is to make it. */
      readonly runner: string;
      readonly gate: GateClass;
      /** For a call that a person must agree to. */
      readonly approval: RequiredApproval | null;
    };

/** What must have been agreed to. */
export interface RequiredApproval {
  /** The id of the call's first attempt. */
  readonly callId: string;
  /** SHA-256 of the arguments' text in hex. */
  readonly argumentsHash: string;
}

export type ToolCallClaim =
  /** The id was free. Every later claim of it is answered with `taken`. */
  | { readonly kind: "claimed" }
  /** The id was claimed before; `call` is the state of that call. */
  | { readonly kind: "taken"; readonly call: ClaimedToolCall }
  | { readonly kind: "refused"; readonly reason: "not_owner" | "session_cancelled" | ClaimRefusal };

/**
 * One statement inserts the id, and checks the lease, that the session's stored configuration gives the execution
 * this tool, the gate and the approval; for a follow-up, that with which it was asked for. The share lock orders it with every takeover and cancel: they see a call that was claimed before
 * them, and after them no call is claimed. A function of the owner takes the lock, because a tool-runner may not write to
 * the session's row. Each OFFSET has the configuration read once, not by each condition.
 */
const CLAIM = `
WITH held AS MATERIALIZED (
  SELECT session_id, lease_epoch, lease_expires_at, cancel_requested_at, cancelled_follow_ups FROM tarsy_hold_work($2)
), live AS MATERIALIZED (
  SELECT r.session_id, CASE
    WHEN $7::text = 'abandoned' THEN NULL
    WHEN $11::int >= ${MAX_CALLS_PER_ANSWER} THEN 'too_many_calls'
    WHEN coalesce(agent.config->>'iteration_strategy' IN (${TOOL_STRATEGIES.map((name) => `'${name}'`).join()})
           AND agent.config->'mcp_servers' ? $8::text
           AND coalesce(agent.config->'tool_choice'->$8::text ? $9::text, true), false) IS FALSE THEN 'tool_not_allowed'
    WHEN $10::int <> (e.iteration_state->>'iteration')::int THEN 'not_requested'
    WHEN agent.config->>'type' IS DISTINCT FROM 'action'
     AND ($14::text = 'deny' OR $14::text = 'unknown' AND configured.chain->>'tool_policy' = 'strict') THEN 'denied_by_policy'
    WHEN $15::text IS NOT NULL AND NOT EXISTS (
      SELECT FROM approvals a
      WHERE a.call_id = $15 AND a.session_id = r.session_id AND a.execution_id = $3 AND a.tool = $5::text
        AND a.arguments_hash = $16::text AND a.state = 'approved') THEN 'not_approved'
  END AS refusal
  FROM held r JOIN alert_sessions s USING (session_id)
    LEFT JOIN agent_executions e ON e.execution_id = $3 AND e.session_id = r.session_id
    LEFT JOIN stages g ON g.stage_id = e.stage_id
    LEFT JOIN follow_ups f ON f.stage_id = g.stage_id AND f.session_id = r.session_id
    LEFT JOIN LATERAL (
      SELECT (SELECT config FROM resolved_configs c WHERE c.config_hash = coalesce(f.config_hash, s.config_hash)) AS chain,
             CASE WHEN f.follow_up_id IS NULL THEN g.stage_index ELSE 1 END AS position OFFSET 0) configured ON true
    LEFT JOIN agent_executions p ON p.execution_id = e.parent_execution_id
    LEFT JOIN LATERAL (
      SELECT configured.chain->'stages'->configured.position->'agents'->(coalesce(p.agent_index, e.agent_index) - 1) AS config) own ON true
    LEFT JOIN LATERAL (
      SELECT CASE WHEN p.execution_id IS NULL THEN own.config
                  ELSE jsonb_path_query_first(own.config, '$.sub_agents[*] ? (@.name == $name)',
                                              jsonb_build_object('name', e.agent_name)) END AS config OFFSET 0) agent ON true
  WHERE r.lease_epoch = $4 AND r.lease_expires_at > clock_timestamp()
    AND r.cancel_requested_at IS NULL AND ${isNull("s.deleted_at")}
    AND CASE WHEN f.follow_up_id IS NULL THEN s.status = 'in_progress'
             ELSE f.status IN ('pending', 'active') AND f.follow_up_id <> ALL(r.cancelled_follow_ups) END
), claimed AS (
  INSERT INTO tool_calls (call_id, session_id, execution_id, epoch, name, read_only, effect, phase, runner, state, alive_until, completed_at)
  SELECT $1::text, live.session_id, $3::uuid, $4::int, $5::text, $6::boolean, $12::text,
         CASE WHEN $7::text = 'running' THEN 'claimed' END, $13::uuid, $7::text::tool_call_state,
         CASE WHEN $7::text = 'running' THEN clock_timestamp() + make_interval(secs => ${CALL_ALIVE_MS / 1_000}) END,
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
SELECT r.cancel_requested_at IS NOT NULL OR EXISTS (
  SELECT FROM follow_ups f JOIN agent_executions e USING (stage_id)
  WHERE e.execution_id = $3 AND f.follow_up_id = ANY(r.cancelled_follow_ups)) AS cancelled
FROM session_runtime r WHERE r.session_id = $1 AND r.lease_epoch = $2`;
const parseCancelled = compileParser("cancelled session", Type.Object({ cancelled: Type.Boolean() }));

/**
 * Claims a call's id permanently: to run the call, or so that it never runs (`abandoned`). Requires a live lease of the
 * call's epoch on a session that is in progress and not being cancelled, or on an ended one with an open follow-up that
 * the execution belongs to. To run, the tool must be one that the session's
 * stored configuration gives the execution, and the id that of one of the first calls of the execution's newest answer;
 * such a refusal is the same whenever the claim is repeated.
 * A tool that changes things is denied to agents that only investigate, and one that needs approval runs only with the
 * arguments that a person agreed to. A call that was claimed before is `taken`, whatever would be refused now.
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
  // Separate statements: a concurrent claim may have committed after the snapshot of the first one.
  const taken = await readToolCall(db, call.callId);
  if (taken !== undefined) return { kind: "taken", call: taken };
  if (refusal !== null) return { kind: "refused", reason: refusal };
  const [session] = await selectRows(db, parseCancelled, IS_CANCELLED, [
    call.sessionId,
    call.epoch,
    call.executionId,
  ]);
  return { kind: "refused", reason: session?.cancelled === true ? "session_cancelled" : "not_owner" };
}

/** State, server, tool, iteration, index, effect, runner, gate, and the call and the arguments that need approval. */
function purposeValues(call: ClaimableToolCall, purpose: ClaimPurpose): (string | number | null)[] {
  if (purpose === "abandoned") return ["abandoned", ...Array<null>(9).fill(null)];
  const { server, position, effect, runner, gate, approval } = purpose;
  const expected = attemptId(toolCallId(call.executionId, position), position.attempt);
  const claimed = expected === call.callId.toLowerCase() ? position.iteration : NO_ITERATION;
  return [
    "running",
    server,
    call.name.slice(server.length + 1),
    claimed,
    position.index,
    effect,
    runner,
    gate,
    approval?.callId ?? null,
    approval?.argumentsHash ?? null,
  ];
}
