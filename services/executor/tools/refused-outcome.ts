import { MAX_CALLS_PER_ANSWER, type ClaimRefusal, type ToolCallAnswer } from "#shared/contracts/tool-call.ts";
import { TerminalError, cancelledByUser, leaseLost } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { policyDenial } from "./calls-not-made.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/** The outcome of a refused call, if the refusal concerns this call alone; any other refusal is thrown as the session's error. */
export function refusedOutcome(
  { log, callId, name }: { readonly log: Logger; readonly callId: string; readonly name: string },
  reason: Extract<ToolCallAnswer, { kind: "refused" }>["reason"],
): ToolOutcome {
  switch (reason) {
    case "session_cancelled":
      throw cancelledByUser();
    case "not_owner":
    case "abandoned":
      throw leaseLost();
    case "id_taken":
      throw new TerminalError("id_taken", `tool call id ${callId} belongs to another call`);
    case "tool_not_allowed":
    case "denied_by_policy":
    case "not_approved":
    case "tool_changed":
    case "too_many_calls":
    case "not_requested":
      log.warn({ call_id: callId, name, reason }, "tool call refused");
      return { kind: "refused", message: refusalMessage(reason, name) };
    default:
      return reason satisfies never;
  }
}

function refusalMessage(reason: ClaimRefusal | "tool_changed", name: string): string {
  switch (reason) {
    case "tool_not_allowed":
      return `the tool "${name}" is not among those that this agent may use; the call was not made`;
    case "denied_by_policy":
      return policyDenial(name);
    case "not_approved":
      return `this call of "${name}" has not been approved; it was not made`;
    case "tool_changed":
      return `the server has changed the tool "${name}" since this agent got its list; the call was not made`;
    case "too_many_calls":
      return `too many tool calls in one answer: at most ${MAX_CALLS_PER_ANSWER} are carried out; the call was not made`;
    case "not_requested":
      return "the call is none of the newest answer's; it was not made";
    default:
      return reason satisfies never;
  }
}
