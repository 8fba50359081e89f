import type { KeptResult } from "#shared/tool-results/show-result.ts";

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
