import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import {
  APPROVAL_STATES,
  isTerminal,
  type ApprovalState,
  type DecisionChannel,
} from "#shared/contracts/statuses.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import type { WakeUp } from "#shared/contracts/wake-up-queue.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { RequestError, notFound } from "../http/request-error.ts";

/** Notifies the owner, or ends the wait of a session without an owner; other delays of it stay. */
const NOTIFY_OWNER = `
UPDATE session_runtime SET inbox_seq = inbox_seq + 1,
  not_before = CASE WHEN waiting_for IS NULL THEN not_before END
WHERE session_id = $1
RETURNING coalesce(lease_expires_at > clock_timestamp(), false) AS owned,
          (SELECT s.lane FROM alert_sessions s WHERE s.session_id = session_runtime.session_id) AS lane`;
const parseOwner = compileParser(
  "owner",
  Type.Object({ owned: Type.Boolean(), lane: literals(SESSION_LANES) }),
);

const READ = `
SELECT state, arguments_hash, decided_by, expires_at <= clock_timestamp() AS is_over, EXISTS (
  SELECT FROM agent_executions e JOIN follow_ups f USING (stage_id)
  WHERE e.execution_id = approvals.execution_id AND f.status IN ('pending', 'active')) AS is_of_follow_up
FROM approvals
WHERE approval_id = $1 AND session_id = $2`;
const parseQuestion = compileParser(
  "question",
  Type.Object({
    state: literals(APPROVAL_STATES),
    arguments_hash: Type.String(),
    decided_by: Type.Union([Type.String(), Type.Null()]),
    is_over: Type.Boolean(),
    is_of_follow_up: Type.Boolean(),
  }),
);

const DECIDE = `
UPDATE approvals SET state = $2, decided_at = now(), decided_by = $3, reason = $4, decided_via = $5
WHERE approval_id = $1 AND state = 'awaiting_approval'
RETURNING execution_id, tool`;
const parseDecided = compileParser(
  "decided approval",
  Type.Object({ execution_id: Type.String(), tool: Type.String() }),
);

/** What a person decides about a tool call. */
interface Decision {
  readonly state: "approved" | "denied";
  readonly reason: string | null;
  readonly decidedBy: string;
  readonly decidedVia?: DecisionChannel;
  /** SHA-256 in hex of the arguments that the decider saw; undefined where that is known. */
  readonly argumentsHash?: string | undefined;
}

/** A decision that is committed with the transaction. */
interface Decided {
  readonly events: readonly SessionEvent[];
  readonly tool: string;
  /** If no executor owns the session. */
  readonly wakeUp: WakeUp | undefined;
}

/**
 * Decides a question of a locked session, in the running transaction. The locks are taken in the order of every writer, so
 * that of several deciders, and of a decision and the end of the question's time, exactly one happens. Throws RequestError
 * 404 for an unknown question, and 409 if it is closed, the session is over or the call has other arguments.
 */
export async function decideApproval(
  transaction: Queryable,
  { session_id, status }: Pick<FoundSession, "session_id" | "status">,
  approvalId: string,
  { state, reason, decidedBy, decidedVia, argumentsHash }: Decision,
): Promise<Decided> {
  const [owner] = await selectRows(transaction, parseOwner, NOTIFY_OWNER, [session_id]);
  const [question] = await selectRows(transaction, parseQuestion, READ, [approvalId, session_id]);
  if (question === undefined) throw notFound();
  if (question.state !== "awaiting_approval") throw closed(question.state, question.decided_by);
  // An ended session has open questions only of work that follows its end.
  if (isTerminal(status) && !question.is_of_follow_up) {
    throw new RequestError(409, `the session is over: it is ${status}`);
  }
  if (status === "cancelling") throw new RequestError(409, "the session is being cancelled");
  if (argumentsHash !== undefined && argumentsHash !== question.arguments_hash) throw otherArguments();
  if (question.is_over) throw new RequestError(409, "the time to decide about this call is over");
  const by = postgresSafeText(decidedBy).text;
  const why = reason === null ? null : postgresSafeText(reason).text;
  const [decided] = await selectRows(transaction, parseDecided, DECIDE, [
    approvalId,
    state,
    by,
    why,
    decidedVia ?? null,
  ]);
  if (decided === undefined) throw new RequestError(409, "this call has already been decided");
  const { execution_id, tool } = decided;
  const events = await appendEvents(transaction, session_id, [
    {
      type: "approval.decided",
      session_id,
      execution_id,
      approval_id: approvalId,
      tool,
      state,
      decided_by: by,
      reason: why,
    },
  ]);
  const lane = isTerminal(status) ? ("followup" as const) : owner?.lane;
  const wakeUp = owner?.owned === false && lane !== undefined ? { sessionId: session_id, lane } : undefined;
  return { events, tool, wakeUp };
}

function closed(state: Exclude<ApprovalState, "awaiting_approval">, by: string | null): RequestError {
  const who = by === null ? "" : ` by ${by}`;
  return new RequestError(409, `this call has already been decided: it is ${state}${who}`);
}

/** 409: the decider saw other arguments than those of the call. */
export function otherArguments(): RequestError {
  return new RequestError(409, "the call has other arguments than those of this hash: read them again");
}
