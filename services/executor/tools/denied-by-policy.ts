import { toolCallEntry } from "#shared/access/tool-call-entry.ts";
import { toolCallId } from "#shared/contracts/tool-call-id.ts";
import { toolGate } from "#shared/contracts/tool-gate.ts";
import type { RequestedCall } from "../core/agent-state.ts";
import type { ExecutionRun } from "../core/execution-run.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

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
  session.audit.record({ ...toolCallEntry(refused), result: "refused" });
  return { kind: "refused", message: policyDenial(call.name) };
}

/** What the model is told of a call that the policy denies, by the executor or by the tool-runner. */
export function policyDenial(name: string): string {
  return `denied by policy: the tool "${name}" may change things, and this agent only investigates; the call was not made`;
}
