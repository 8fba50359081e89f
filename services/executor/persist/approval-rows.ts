import { createHash } from "node:crypto";
import { uuidFrom } from "#shared/uuid-from.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { MAX_ASKED_ARGUMENTS } from "#shared/contracts/session-event.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { ExecutionState } from "../state/session-state.ts";
import type { StepRecord } from "./step-record.ts";

/** A call that a person is to be asked about. */
export interface CallInQuestion {
  /** The id of its first attempt. */
  readonly callId: string;
  /** "server.tool" */
  readonly tool: string;
  /** As the tool-runner will get them. */
  readonly arguments: string;
  /** Until when a person may decide; ISO 8601, by the database's clock. */
  readonly expiresAt: string;
}

/** The step that asks: the row that a decision changes, and the event that tells people. */
export function requestApproval(execution: ExecutionState, call: CallInQuestion): StepRecord {
  const { session_id, stage_id, execution_id, agent_name } = execution;
  const approval_id = uuidFrom("approval", call.callId);
  const tool = postgresSafeText(call.tool).text;
  const written = postgresSafeText(call.arguments).text;
  const approval = {
    approval_id,
    execution_id,
    call_id: call.callId,
    tool,
    arguments: written,
    arguments_hash: createHash("sha256").update(call.arguments).digest("hex"),
    expires_at: call.expiresAt,
  };
  return {
    rows: { approvals: [approval] },
    events: [
      {
        type: "approval.requested",
        session_id,
        stage_id,
        execution_id,
        approval_id,
        agent_name,
        tool,
        arguments: written.slice(0, safeCut(written, MAX_ASKED_ARGUMENTS)),
        arguments_complete: written.length <= MAX_ASKED_ARGUMENTS,
        expires_at: call.expiresAt,
      },
    ],
  };
}

const parseOpen = compileParser(
  "open approval",
  Type.Object({ approval_id: Uuid, execution_id: Uuid, tool: Type.String() }),
);

const OPEN = `
SELECT approval_id, execution_id, tool FROM approvals
WHERE session_id = $1 AND state = 'awaiting_approval' AND ($2::uuid IS NULL OR execution_id = $2)
  AND (NOT $3::boolean OR expires_at <= clock_timestamp())
ORDER BY requested_at`;

/**
 * The step that closes the open questions of a session, or of one execution, as `expired`: all of them, because no
 * answer is needed any more, or only those whose time is over. To be read under the lock under which it is written.
 */
export async function closeApprovals(
  db: Queryable,
  session_id: string,
  {
    executionId = null,
    onlyOverdue = false,
  }: { readonly executionId?: string | null; readonly onlyOverdue?: boolean } = {},
): Promise<StepRecord> {
  const open = await selectRows(db, parseOpen, OPEN, [session_id, executionId, onlyOverdue]);
  return {
    rows: { approvalEnds: open.map(({ approval_id }) => ({ approval_id })) },
    events: open.map((approval) => ({
      type: "approval.decided",
      session_id,
      ...approval,
      state: "expired",
      decided_by: null,
      reason: null,
    })),
  };
}
