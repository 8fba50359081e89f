import type { KeptResult } from "#shared/tool-results/show-result.ts";
import { MAX_CALLS_PER_ANSWER, type ClaimRefusal, type ToolCallAnswer } from "#shared/contracts/tool-call.ts";
import { TerminalError, cancelledByUser, leaseLost } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";

/** How a call ended; each outcome becomes a message to the model. */
export type ToolOutcome =
  /** The tool answered; `isError` is true if it reported a failure. */
  | {
      readonly kind: "result";
      readonly content: string;
      readonly isError: boolean;
      /** The text is the operator's or this program's, so the model reads it as instructions, not as data. */
      readonly isOwnText?: true;
      /** The whole text of which `content` is a window, to be stored with the outcome. */
      readonly kept?: KeptResult;
    }
  /** Not among the tools this agent may call; no request was sent. */
  | { readonly kind: "unknown_tool"; readonly message: string }
  /** Refused by the tool-runner or a person; it did not run and never will. `reason` is what the person wrote. */
  | { readonly kind: "refused"; readonly message: string; readonly reason?: string }
  /**
   * The call could not be made or failed. `mayHaveRun` is true if the tool was started, so that its effect is unknown;
   * the message, one sentence, says so for tools that are not read-only.
   */
  | {
      readonly kind: "exception";
      readonly message: string;
      readonly isTimeout: boolean;
      readonly mayHaveRun: boolean;
    };

/** The outcome of a call that could not be made or failed. */
export function failedCall(
  message: string,
  { isTimeout = false, mayHaveRun = false }: { isTimeout?: boolean; mayHaveRun?: boolean },
): ToolOutcome {
  return { kind: "exception", message, isTimeout, mayHaveRun };
}

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

/** The reason of the signal of a tool call that a person wants the agent to go on without. */
export class SkippedError extends Error {
  constructor() {
    super("an operator skipped this call");
    this.name = "SkippedError";
  }
}

/** The message to the model about a call that the policy denies, from the executor or the tool-runner. */
export function policyDenial(name: string): string {
  return `denied by policy: the tool "${name}" may change things, and this agent only investigates; the call was not made`;
}
