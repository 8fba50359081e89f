import { LEASE_MS } from "#shared/contracts/durations.ts";
import { isoText } from "#shared/database/iso-text.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { ResolvedBudgets } from "#shared/contracts/budget.ts";
import { literals } from "#shared/contracts/literals.ts";
import { TOOL_SOURCES, type ToolSource } from "#shared/contracts/recorded-tools.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { SESSION_STATUSES } from "#shared/contracts/statuses.ts";
import { TraceCarrier } from "#shared/telemetry/trace-carrier.ts";
import { PARK_REQUEST_COLUMNS, WAITS_FOR_PLACE } from "#shared/database/parking-columns.ts";
import { WaitingFor } from "#shared/contracts/iteration-state.ts";

/** A claimed session, with what its owner needs at the start. */
export interface SessionClaim {
  readonly sessionId: string;
  /** Carried by every write of this owner. */
  readonly epoch: number;
  /** What the owner's first write names as the one before. */
  readonly step: string;
  /** The session ended before; only work that follows is open. */
  readonly isFollowUp: boolean;
  /** Takeovers or failed runs since the last completed step. */
  readonly attempts: number;
  /** Runs that ended because a dependency failed, since the last completed step. */
  readonly interruptions: number;
  /** The wait of the session that is just over. */
  readonly waitedFor: WaitingFor | null;
  /** The database's time at the claim, in milliseconds since the epoch. */
  readonly databaseTimeMs: number;
  /** The session's total time, for the timeout message. */
  readonly sessionTimeoutMs: number;
  /** Milliseconds until the session's deadline, by the database's clock; zero or negative once it has passed. */
  readonly deadlineInMs: number;
  /** How long the session waited for its first owner, in milliseconds; null for a later owner. */
  readonly waitedMs: number | null;
  /** The values that decide which budgets its LLM calls count against. */
  readonly limitedBy: LimitedBy;
  /** Whether its tool calls are made. */
  readonly toolSource: ToolSource;
  /** Where the trace of its submission is; null if it was not traced. */
  readonly trace: TraceCarrier | null;
  /** True if it was asked to park, and has not: its former owner was lost before. */
  readonly isAskedToPark: boolean;
  /** The newest entry of its inbox. */
  readonly inboxSeq: number;
  /** Its row of `LOAD_NEW`, if this is its first owner: then it misses no commit of another one. */
  readonly state: object | null;
  /** Committed by the claim and not published yet. */
  readonly events: readonly SessionEvent[];
}

/** The chain and the teams of a session, and the budgets that it was stored with. */
export interface LimitedBy {
  readonly chainId: string;
  readonly teams: readonly string[];
  readonly budgets: ResolvedBudgets | null;
}

/** A claim that succeeded. */
export type Claimed = { readonly kind: "claimed" } & SessionClaim;

/** The result of trying to claim a session. */
export type ClaimOutcome =
  | Claimed
  /** The session is terminal without open follow-ups, or gone: acknowledge. */
  | { readonly kind: "over" }
  /** Another executor's lease is live for `forMs` milliseconds: retry then. */
  | { readonly kind: "leased"; readonly forMs: number }
  /** Deferred until the time in its row: acknowledge; the sweeper dispatches it again. */
  | { readonly kind: "waiting" };

export const ClaimRow = Type.Object({
  status: literals(SESSION_STATUSES),
  deleted: Type.Boolean(),
  /** It is terminal, and has a follow-up that is not. */
  is_followed_up: Type.Boolean(),
  lease_epoch: Type.Integer(),
  /** There is an owner that did not release the session. */
  has_owner: Type.Boolean(),
  /** Milliseconds since the lease was claimed or renewed; of a session that was deferred, since it was written to. */
  silent_ms: Type.Integer(),
  /** Milliseconds until the lease expires; negative after expiry, null if there is no lease. */
  lease_ms: Type.Union([Type.Number(), Type.Null()]),
  attempts: Type.Integer(),
  interruptions: Type.Integer(),
  /** True before the time in `not_before`, and while a person has parked it. */
  deferred: Type.Boolean(),
  waiting_for: Type.Union([WaitingFor, Type.Null()]),
  /** How long the wait that is over has paused the session's time, in milliseconds. */
  pause_ms: Type.Number(),
  /** How long it was parked, in milliseconds; null if it was not. */
  parked_ms: Type.Union([Type.Integer(), Type.Null()]),
  is_asked_to_park: Type.Boolean(),
  inbox_seq: Type.Integer(),
  timeout_ms: Type.Number(),
  /** Milliseconds since the first start without pauses; 0 before it. */
  elapsed_ms: Type.Number(),
  database_time_ms: Type.Number(),
  /** Milliseconds since the submission. */
  age_ms: Type.Number(),
  trace_context: Type.Union([TraceCarrier, Type.Null()]),
  chain_id: Type.String(),
  teams: Type.Array(Type.String()),
  budgets: Type.Union([ResolvedBudgets, Type.Null()]),
  tool_source: literals(TOOL_SOURCES),
  postgres_up_ms: Type.Number(),
  /** Another executor died at about the time when the lease was last renewed. */
  others_died: Type.Boolean(),
});
export type ClaimRow = Static<typeof ClaimRow>;
/** A session that has ended, with work that has not. */
export const IS_FOLLOWED_UP = `(s.status NOT IN ('pending', 'in_progress', 'cancelling') AND EXISTS (
         SELECT FROM follow_ups f WHERE f.session_id = s.session_id AND f.status IN ('pending', 'active')))`;

/** True if an owner did not give the session back. The end of a session, and its parking, leave its last owner in the row. */
export const HAS_OWNER = `(r.lease_owner IS NOT NULL AND r.parked_at IS NULL AND (s.status IN ('pending', 'in_progress', 'cancelling')
         OR r.lease_expires_at IS NOT NULL OR r.attempts > 0))`;

/** True if the session of the row may be claimed at all. */
export const CLAIMABLE = `(s.status IN ('pending', 'in_progress', 'cancelling') OR ${IS_FOLLOWED_UP})`;

/** True if the session `r` need not be left alone: its time has come, or it is parked and waits for a place only. */
export const IS_DUE = `(CASE WHEN r.parked_at IS NOT NULL AND s.status IN ('pending', 'in_progress') THEN ${WAITS_FOR_PLACE}
         ELSE r.not_before IS NULL OR r.not_before <= clock_timestamp() END)`;

/** The columns of a claim row, by `CLAIM_SOURCE`, of the session $1. */
export const CLAIM_COLUMNS = `
       s.session_id, s.status, s.deleted_at IS NOT NULL AS deleted, r.lease_epoch, r.attempts, r.interruptions,
       ${HAS_OWNER} AS has_owner, ${IS_FOLLOWED_UP} AS is_followed_up,
       (1000 * least(1e6, greatest(0, extract(epoch FROM clock_timestamp() - coalesce(
         r.lease_expires_at - make_interval(secs => ${LEASE_MS / 1_000}), r.last_interaction_at, clock_timestamp())))))::int AS silent_ms,
       (extract(epoch FROM r.lease_expires_at - clock_timestamp()) * 1000)::float8 AS lease_ms,
       NOT ${IS_DUE} AS deferred,
       r.waiting_for, paused.pause_ms, paused.parked_ms, r.inbox_seq,
       (s.status = 'in_progress' AND r.parked_at IS NULL AND r.park_requested_at IS NOT NULL) AS is_asked_to_park,
       coalesce(c.session_timeout_ms, 900000)::float8 AS timeout_ms,
       coalesce((extract(epoch FROM clock_timestamp() - s.started_at) * 1000)::float8, 0)
         - r.paused_ms - paused.pause_ms AS elapsed_ms,
       (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS database_time_ms,
       (extract(epoch FROM clock_timestamp() - s.created_at) * 1000)::float8 AS age_ms, s.trace_context,
       s.chain_id, s.teams,
       CASE WHEN s.world_hash IS NOT NULL THEN 'world'
         WHEN s.tools_mode = 'live' AND s.fork_changes ? 'tool_result' THEN 'edited' ELSE s.tools_mode END AS tool_source, c.budgets`;

/** A follow-up's deadline does not count waits that pause it; with the claim's rows as `found`. */
export const EXTEND_DEADLINES = `
  UPDATE follow_ups f SET deadline_at = f.deadline_at + make_interval(secs => found.pause_ms / 1000)`;

/** A cancel of the session before its end is none of its follow-ups; of these only the open ones can be cancelled. */
export const clearCancel = (isFollowedUp: string): string => `
    cancel_requested_at = CASE WHEN ${isFollowedUp} THEN NULL ELSE r.cancel_requested_at END`;

export const CLAIM_SOURCE = `
FROM alert_sessions s JOIN session_runtime r USING (session_id) LEFT JOIN resolved_configs c ON c.config_hash = s.config_hash,
     LATERAL (SELECT CASE WHEN (r.waiting_for->>'pauses_deadline')::boolean
                THEN (extract(epoch FROM clock_timestamp() - r.waiting_since) * 1000)::float8
                WHEN s.started_at IS NULL THEN 0
                ELSE coalesce((extract(epoch FROM clock_timestamp() - r.parked_at) * 1000)::float8, 0) END AS pause_ms,
              CASE WHEN r.parked_at IS NOT NULL
                THEN least(2e9, extract(epoch FROM clock_timestamp() - r.parked_at) * 1000)::int END AS parked_ms) AS paused
WHERE s.session_id = $1`;

/** The writes of a claim about parking: a parked session goes on, and the new owner reads requests. */
export const CLAIM_PARKING = `
    parked_at = NULL,
    resumed_at = CASE WHEN r.parked_at IS NULL THEN r.resumed_at ELSE now() END,
    ${PARK_REQUEST_COLUMNS.map((name) => `${name} = CASE WHEN r.parked_at IS NULL THEN r.${name} END`).join(", ")}`;

/**
 * The absolute times in the state of open agents move by the time in which the session was parked: when a sub-agent must have ended, until
 * when its parent waits, and since when an agent waits for a provider; with the claim's rows as `found`.
 */
export const MOVE_TIMES = `
  UPDATE agent_executions e SET iteration_state = CASE WHEN moved.since IS NULL THEN moved.state
    ELSE jsonb_set(moved.state, '{unfinished_step,waiting,since}', to_jsonb(moved.since), false) END
  FROM found JOIN agent_executions o USING (session_id), LATERAL (
    SELECT o.iteration_state || jsonb_strip_nulls(jsonb_build_object(
             'deadline_at', ${moved("o.iteration_state->>'deadline_at'")},
             'budget_until', ${moved("o.iteration_state->>'budget_until'")})) AS state,
           ${moved("o.iteration_state #>> '{unfinished_step,waiting,since}'")} AS since) AS moved
  WHERE e.execution_id = o.execution_id AND o.status IN ('pending', 'active') AND found.parked_ms > 0`;

function moved(text: string): string {
  return isoText(`((${text})::timestamptz + make_interval(secs => found.parked_ms / 1000.0))`);
}

/** The event of a session that starts, or goes on after a wait. */
export function startedEvent(session_id: string) {
  return { type: "session.status", session_id, status: "in_progress" } as const;
}

/** The event of a parked session that goes on. */
export function resumedEvent(session_id: string, parked_ms: number) {
  return { type: "session.resumed", session_id, parked_ms } as const;
}

/** The event of a session whose owner was lost; for the claim of this row. */
export function takenOverEvent(
  session_id: string,
  { lease_epoch, silent_ms }: Pick<ClaimRow, "lease_epoch" | "silent_ms">,
) {
  return { type: "session.taken_over", session_id, epoch: lease_epoch + 1, silent_ms } as const;
}

/** The outcome for the executor that has claimed the session of this row. */
export function claimed(
  sessionId: string,
  row: Pick<
    ClaimRow,
    | "status"
    | "is_followed_up"
    | "lease_epoch"
    | "interruptions"
    | "waiting_for"
    | "timeout_ms"
    | "elapsed_ms"
    | "database_time_ms"
    | "age_ms"
    | "trace_context"
    | "chain_id"
    | "teams"
    | "budgets"
    | "tool_source"
    | "is_asked_to_park"
    | "inbox_seq"
  >,
  {
    step,
    attempts,
    state = null,
    events,
  }: Pick<SessionClaim, "step" | "attempts" | "events"> & Partial<Pick<SessionClaim, "state">>,
): Claimed {
  return {
    kind: "claimed",
    sessionId,
    epoch: row.lease_epoch + 1,
    step,
    isFollowUp: row.is_followed_up,
    attempts,
    interruptions: row.interruptions,
    waitedFor: row.waiting_for,
    databaseTimeMs: row.database_time_ms,
    sessionTimeoutMs: row.timeout_ms,
    deadlineInMs: row.timeout_ms - row.elapsed_ms,
    waitedMs: row.status === "pending" ? Math.max(0, row.age_ms) : null,
    limitedBy: { chainId: row.chain_id, teams: row.teams, budgets: row.budgets },
    toolSource: row.tool_source,
    trace: row.trace_context,
    isAskedToPark: row.is_asked_to_park,
    inboxSeq: row.inbox_seq,
    state: state && { ...state, status: row.status === "pending" ? "in_progress" : row.status },
    events,
  };
}
