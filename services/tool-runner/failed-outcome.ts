import type { ToolCallFailure } from "#shared/contracts/tool-call.ts";
import { McpFailure } from "./mcp/mcp-failure.ts";

/** The known facts of a call that ended without a result. */
interface CallStage {
  /** It may be made again although it may have taken effect. */
  readonly isRepeatable: boolean;
  /** It may have been sent. */
  readonly hasBegun: boolean;
}

/** The end of a call, with the end of its message. */
interface FailedOutcome {
  /** `answer`: a result in which the tool reports an error. */
  readonly kind: ToolCallFailure | "answer";
  readonly ending: string;
}

/** "Invalid params" of JSON-RPC: for an unknown tool, too. */
const INVALID_PARAMS = -32602;
const NOT_MADE = "; the call was not made";
const DOUBT = "; whether it took effect is not known";

/** The end of a call that was aborted. One that was not sent has no effect, and may be made again in any case. */
export function abortedOutcome({ why }: CallAborted, progress: CallStage): FailedOutcome {
  const { isRepeatable, hasBegun } = progress;
  switch (why) {
    case "deadline":
      return { kind: "timeout", ending: hasBegun ? doubt(isRepeatable) : NOT_MADE };
    case "cancelled":
      return { kind: "cancelled", ending: hasBegun ? doubt(isRepeatable) : NOT_MADE };
    case "runner_stops":
      return isRepeatable || !hasBegun
        ? { kind: "interrupted", ending: "" }
        : { kind: "outcome_unknown", ending: DOUBT };
    default:
      return why satisfies never;
  }
}

/** The end of a call whose tool threw. Only a server knows whether it began a call; a tool in this process has run. */
export function thrownOutcome(error: unknown, { isRepeatable, hasBegun }: CallStage): FailedOutcome {
  if (!hasBegun) return { kind: "exception", ending: NOT_MADE };
  if (!(error instanceof McpFailure)) return { kind: "exception", ending: "" };
  switch (error.sent) {
    case "no":
      return { kind: "exception", ending: NOT_MADE };
    case "answered":
      return error.code === INVALID_PARAMS || error.kind === "input_required"
        ? { kind: "answer", ending: "" }
        : { kind: "exception", ending: "" };
    case "maybe":
      if (error.kind === "timeout") return { kind: "timeout", ending: doubt(isRepeatable) };
      return isRepeatable ? { kind: "exception", ending: "" } : { kind: "outcome_unknown", ending: DOUBT };
    default:
      return error.sent satisfies never;
  }
}

function doubt(isRepeatable: boolean): string {
  return isRepeatable ? "" : DOUBT;
}

/** The reason why a running call is ended; the reason of its signal. */
export class CallAborted extends Error {
  readonly why: "cancelled" | "deadline" | "runner_stops";

  constructor(why: CallAborted["why"], message: string) {
    super(message);
    this.why = why;
  }
}
