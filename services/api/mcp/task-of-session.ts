import { INTERNAL_ERROR, type Result } from "@modelcontextprotocol/server";
import { withoutHidden } from "#shared/visible-controls.ts";
import { type AskedCall, approvalForm } from "./open-approvals.ts";
import { progressOf, type InvestigationState } from "./read-investigation.ts";

/** A client asks again after so long; an agent's step takes some seconds, and a wait longer. */
const POLL_MS = { running: 2_000, waiting: 5_000 };

/** The prefix of the questions about tool calls, before the approval's id. */
export const APPROVAL_PREFIX = "approval:";

type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

const STATUSES: Readonly<Record<InvestigationState["status"], TaskStatus>> = {
  pending: "working",
  in_progress: "working",
  cancelling: "working",
  completed: "completed",
  failed: "failed",
  timed_out: "failed",
  cancelled: "cancelled",
};

/** What the start of a task answers: the session is the task. */
export function taskHead(sessionId: string, state: InvestigationState) {
  return { resultType: "task" as const, ...commonOf(sessionId, state), status: STATUSES[state.status] };
}

/**
 * A session as a task (SEP-2663). `questions` are the calls that it waits for, as far as the caller may decide; `result` is that of the tool,
 * once it is completed.
 */
export function taskOfSession(
  sessionId: string,
  state: InvestigationState,
  { questions, result }: { readonly questions: readonly AskedCall[]; readonly result: Result | undefined },
): Result {
  const common = commonOf(sessionId, state);
  const status = STATUSES[state.status];
  if (status === "failed") {
    const message = withoutHidden(state.error_message ?? `the investigation ended as ${state.status}`);
    return { ...common, status, error: { code: INTERNAL_ERROR, message } };
  }
  if (status === "completed") return { ...common, status, result: result ?? {} };
  if (status === "working" && questions.length > 0) {
    const forms = questions.map(
      (one) => [`${APPROVAL_PREFIX}${one.approval_id}`, { ...approvalForm(one) }] as const,
    );
    return { ...common, status: "input_required", inputRequests: Object.fromEntries(forms) };
  }
  return { ...common, status };
}

function commonOf(taskId: string, state: InvestigationState) {
  const { waiting_for, created_at, updated_at } = state;
  return {
    taskId,
    statusMessage: withoutHidden(progressOf(state)),
    createdAt: created_at,
    lastUpdatedAt: updated_at,
    // It exists as long as its session, which the retention removes.
    ttlMs: null,
    pollIntervalMs: waiting_for === null ? POLL_MS.running : POLL_MS.waiting,
  };
}
