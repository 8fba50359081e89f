import type { TerminalStatus } from "#shared/contracts/statuses.ts";
import type { AgentState, Conclude } from "./controller.ts";

/** Completed; `answer` where the timeline does not show it as `final_analysis` yet. */
export function completed(answer: string | null): Conclude {
  return { kind: "conclude", status: "completed", errorMessage: null, errorCode: null, answer };
}

/** Not completed, with the code of the last failure. */
export function failed(
  { iteration }: AgentState,
  errorMessage: string,
  status: Exclude<TerminalStatus, "completed"> = "failed",
): Conclude {
  return { kind: "conclude", status, errorMessage, errorCode: iteration.last_error_code, answer: null };
}
