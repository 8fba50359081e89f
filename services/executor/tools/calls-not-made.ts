import { toolCallEntry } from "#shared/access/tool-call-entry.ts";
import { toolCallId, MAX_ARGUMENTS_CHARS } from "#shared/contracts/tool-call.ts";
import { toolGate, type ToolDescription } from "#shared/contracts/tool-list.ts";
import type { RequestedCall, RunTool } from "../core/agent-state.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import { policyDenial, type ToolOutcome } from "./tool-outcome.ts";
import { closeApprovals } from "../persist/approval-rows.ts";
import { commitLocked } from "../persist/commit-step.ts";
import { wholeRowId } from "../persist/timeline-writer.ts";
import { unfinishedStep } from "../persist/unfinished-step.ts";
import { toolCallKey } from "./record-tool-call.ts";
import { toolAlias } from "#shared/contracts/tool-names.ts";
import { rightNamesHint, rightToolNames } from "../controllers/right-tool-names.ts";

/**
 * The outcome of a call that the policy denies to this agent, by the execution's listing; null for any other. No request is
 * sent for it: a log line and an entry of the audit log say so. The tool-runner's claim decides the same again.
 */
export function deniedByPolicy(
  { session, execution, state }: ExecutionRun,
  call: RequestedCall,
): ToolOutcome | null {
  const tool = state.tools?.find(({ name }) => name === call.name);
  if (tool === undefined || toolGate(tool, state.agent, state.chain) !== "deny") return null;
  const refused = {
    call_id: toolCallId(execution.execution_id, { iteration: state.iteration.iteration, index: call.index }),
    session_id: session.sessionId,
    execution_id: execution.execution_id,
    name: call.name,
    reason: "denied_by_policy",
  };
  session.log.warn(refused, "tool call refused");
  session.tools.audit.record({ ...toolCallEntry(refused), result: "refused" });
  return { kind: "refused", message: policyDenial(call.name) };
}

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

/** The outcome of a call of a tool that the agent does not have, or with arguments that are too long or several; null for any other. */
export function unmakeableCall(
  tools: readonly ToolDescription[],
  { name, arguments: text }: { readonly name: string; readonly arguments: string },
): ToolOutcome | null {
  if (!tools.some((tool) => tool.name === name)) return unknownTool(name, tools);
  const { length } = text;
  if (length > MAX_ARGUMENTS_CHARS) {
    const content = `The arguments have ${length} characters: at most ${MAX_ARGUMENTS_CHARS} are allowed.`;
    return { kind: "result", content, isError: true };
  }
  return isSeveralObjects(text) ? { kind: "result", content: SEVERAL_OBJECTS, isError: true } : null;
}

const SEVERAL_OBJECTS =
  "The arguments are several JSON objects in a row. The call was not made: write one object, and one call for each set of arguments.";

/** True for objects in a row; which of them is meant, only the model knows. */
function isSeveralObjects(text: string): boolean {
  if (!/\}\s*\{/u.test(text)) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

/** Structured calls use aliases, so the hint has these, except the very name that the model has just used. */
export function unknownTool(name: string, tools: readonly ToolDescription[]): ToolOutcome {
  const names = rightToolNames(name, tools).map((tool) =>
    toolAlias(tool) === name ? tool : toolAlias(tool),
  );
  const hint = rightNamesHint(names);
  const message = hint === "" ? `unknown tool "${name}"` : `unknown tool "${name}": ${hint}`;
  return { kind: "unknown_tool", message };
}
