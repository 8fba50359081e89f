import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import type { WakeUp } from "#shared/contracts/wake-up-queue.ts";
import { appendEvents } from "#shared/database/append-events.ts";
import type { FoundSession } from "#shared/database/find-session.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { STEERING_MESSAGES } from "#shared/database/tables/steering.ts";
import { RequestError } from "../http/request-error.ts";
import { checkSteeringBounds } from "./steering-bounds.ts";
import type { SteeringKey, SteeringRequest } from "./steering-request.ts";
import { steeringTargets } from "./steering-targets.ts";
import { Uuid } from "#shared/contracts/uuid.ts";

const parse = compileParser("running call", Type.Object({ event_id: Uuid, execution_id: Uuid }));

/** A call that was announced and has no result; one that waits for a person's decision is not announced. */
const RUNNING = `
SELECT event_id, execution_id FROM timeline_events
WHERE session_id = $1 AND execution_id = ANY($2::uuid[]) AND event_type = 'llm_tool_call' AND mcp_interaction_id IS NULL
ORDER BY execution_id, sequence_number`;

/**
 * The tool calls of these executions that are running, as their rows in the timeline, and whose they are. To be read under the lock of
 * the session's runtime row. Throws RequestError 409 if there is none.
 */
async function runningCalls(
  transaction: Queryable,
  sessionId: string,
  executions: readonly string[],
): Promise<{ readonly calls: readonly string[]; readonly executions: readonly string[] }> {
  const rows = await selectRows(transaction, parse, RUNNING, [sessionId, executions]);
  if (rows.length === 0) {
    throw new RequestError(
      409,
      "no tool call is running that could be skipped; a call that waits for an approval can be denied",
    );
  }
  return {
    calls: rows.map(({ event_id }) => event_id),
    executions: [...new Set(rows.map(({ execution_id }) => execution_id))],
  };
}

/**
 * Locks the runtime row, so that messages have one order and no agent begins or ends meanwhile. Only a conclusion ends the wait of
 * a session without an owner: an agent that waits for an approval can then conclude without the call.
 */
const NOTIFY_OWNER = `
UPDATE session_runtime SET inbox_seq = inbox_seq + 1,
  not_before = CASE WHEN $2::boolean AND waiting_for IS NOT NULL THEN NULL ELSE not_before END
WHERE session_id = $1
RETURNING inbox_seq, coalesce(lease_expires_at > clock_timestamp(), false) AS owned,
          (SELECT lane FROM alert_sessions s WHERE s.session_id = session_runtime.session_id) AS lane`;
const parseOwner = compileParser(
  "owner",
  Type.Object({ inbox_seq: Type.Integer(), owned: Type.Boolean(), lane: literals(SESSION_LANES) }),
);

const FIND = "SELECT message_id, request_hash, targets FROM steering_messages WHERE message_id = $1";
const parseFound = compileParser(
  "message",
  Type.Object(rowMembers(STEERING_MESSAGES, "message_id", "request_hash", "targets")),
);

const INSERT = `
INSERT INTO steering_messages (message_id, session_id, ordinal, mode, content, author, execution_id, targets, after_stage,
                               after_agent, calls, request_hash, is_from_alert, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8::uuid[], $9, $10, $11::uuid[], $12, $13, clock_timestamp())`;

/** A message as it is stored: its texts have no secrets. */
interface NewSteering extends SteeringRequest, SteeringKey {
  readonly author: string;
  /** It comes from an alert that says that it is over; the bounds are those of people. */
  readonly isFromAlert?: true;
}

/** A message that is committed with the transaction. */
interface PostedSteering {
  readonly messageId: string;
  readonly executions: readonly string[] | null;
  /** It is the repetition of an earlier request, and nothing was written. */
  readonly isReplayed: boolean;
  readonly events: readonly SessionEvent[];
  /** The number of its entry in the session's inbox. */
  readonly inboxSeq: number;
  /** For a session that waits, and that no executor owns. */
  readonly wakeUp: WakeUp | undefined;
}

/**
 * Stores a message to the agents of a locked session in the running transaction. Throws RequestError 409 if the session is over or
 * being cancelled, 400 for an execution that cannot be addressed, 422 for a key of another request, and 429 for one too many.
 */
export async function postSteering(
  transaction: Queryable,
  { session_id, status }: FoundSession,
  message: NewSteering,
): Promise<PostedSteering> {
  const { messageId, requestHash, mode, executionId } = message;
  const [owner] = await selectRows(transaction, parseOwner, NOTIFY_OWNER, [session_id, mode === "conclude"]);
  const inboxSeq = owner?.inbox_seq ?? 0;
  const [known] = await selectRows(transaction, parseFound, FIND, [messageId]);
  if (known !== undefined) {
    if (known.request_hash !== requestHash) {
      throw new RequestError(
        422,
        "this Idempotency-Key stands for another message: send that one unchanged, or this one with a key of its own",
      );
    }
    return {
      messageId,
      executions: known.targets,
      isReplayed: true,
      events: [],
      inboxSeq,
      wakeUp: undefined,
    };
  }
  if (isTerminal(status)) {
    throw new RequestError(
      409,
      `the session is over: it is ${status}. Ask about it instead: on its page, with \`tarsy chat\`, or by POST /api/v1/sessions/${session_id}/chat/messages`,
    );
  }
  if (status === "cancelling") throw new RequestError(409, "the session is being cancelled");
  const { executions: open, after } = await steeringTargets(transaction, session_id, executionId);
  const running = mode === "skip_tool" ? await runningCalls(transaction, session_id, open ?? []) : null;
  const executions = running === null ? open : running.executions;
  const content = message.content === null ? null : postgresSafeText(message.content).text;
  const author = postgresSafeText(message.author).text;
  if (message.isFromAlert !== true) await checkSteeringBounds(transaction, session_id, content);
  await transaction.query(INSERT, [
    messageId,
    session_id,
    inboxSeq,
    mode,
    content,
    author,
    executionId,
    executions,
    after.stage,
    after.agent,
    running?.calls ?? [],
    requestHash,
    message.isFromAlert === true,
  ]);
  const events = await appendEvents(transaction, session_id, [
    {
      type: "steer.received",
      session_id,
      message_id: messageId,
      mode,
      content,
      author,
      execution_id: executionId?.toLowerCase() ?? null,
    },
  ]);
  const needsOwner = mode === "conclude" && owner?.owned === false && status !== "pending";
  const wakeUp = needsOwner ? { sessionId: session_id, lane: owner.lane } : undefined;
  return { messageId, executions, isReplayed: false, events, inboxSeq, wakeUp };
}
