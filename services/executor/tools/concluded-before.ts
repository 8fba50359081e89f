import type { RunTool } from "../core/agent-state.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import { closeApprovals } from "../persist/approval-rows.ts";
import { commitLocked } from "../persist/commit-step.ts";
import { wholeRowId } from "../persist/timeline-writer.ts";
import { unfinishedStep } from "../persist/unfinished-step.ts";
import { toolCallKey } from "./record-tool-call.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/** How the outcome of such a call ends. */
export const CONCLUDED_BEFORE = "before this call; it was not made";

/**
 * The outcome of a call that is not made because a person wants the agent to conclude, or the incident is over; null if it is made. A call that was
 * announced may have been sent: it is settled like any other. Questions about the agent's calls need no answer any more and
 * are closed.
 */
export async function concludedBefore(run: ExecutionRun, step: RunTool): Promise<ToolOutcome | null> {
  const { session, execution, state, steps } = run;
  const asked = state.steering.find(({ mode }) => mode === "conclude");
  if (asked === undefined) return null;
  const eventId = wholeRowId(execution, state.iteration.iteration, toolCallKey(step.call));
  if (steps.memory.timeline.announced.has(eventId)) return null;
  if (unfinishedStep(run, step).waiting?.kind === "approval") {
    await steps.commit();
    const { execution_id: executionId } = execution;
    await commitLocked(session, async (rows) => [
      await closeApprovals(rows, session.sessionId, { executionId }),
    ]);
  }
  const why = asked.is_from_alert ? "the incident was over" : "an operator asked the agent to conclude";
  const message = `${why} ${CONCLUDED_BEFORE}`;
  return { kind: "refused", message };
}
