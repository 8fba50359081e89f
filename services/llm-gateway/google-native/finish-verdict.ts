import type { RetryableError, TerminalError } from "#shared/errors.ts";
import { refusal, setback } from "../llm-error.ts";

export interface Finish {
  /** As Gemini sent it; undefined where the stream ended without one. */
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** Text or function calls have come out. */
  readonly answered: boolean;
  readonly calledTools: boolean;
  /** Anything has come out, thinking included. */
  readonly begun: boolean;
}

/** How an answer ended: whole, cut short (with a note for its readers), or failed. */
export type FinishVerdict = { readonly note?: string; readonly error?: RetryableError | TerminalError };

const CUT_OFF = "\n\n[The answer ends here: the model reached its limit of output tokens.]";

/** Judges the finish reason: no answer that stopped early passes as a whole one. */
export function finishVerdict({ reason, message, answered, calledTools, begun }: Finish): FinishVerdict {
  const detail = message === undefined || message === "" ? "" : `: ${message}`;
  switch (reason) {
    case "STOP":
      return {};
    case undefined:
    case "FINISH_REASON_UNSPECIFIED":
      if (!begun) return { error: setback("provider_error", "the model's answer is empty") };
      return { error: setback("partial_stream_error", "the answer broke off: it has no finish reason") };
    case "MAX_TOKENS":
      if (answered || calledTools) return { note: CUT_OFF };
      return { error: setback("provider_error", "the model used up its output tokens before it answered") };
    case "SAFETY":
    case "PROHIBITED_CONTENT":
    case "BLOCKLIST":
    case "SPII":
    case "LANGUAGE":
      return { error: refusal("content_blocked", `the provider blocked the answer (${reason})${detail}`) };
    case "RECITATION":
      // Sampling again usually gives other words.
      return { error: setback("content_blocked", `the provider blocked the answer (${reason})${detail}`) };
    default:
      return { error: setback("provider_error", `the model stopped with ${reason}${detail}`) };
  }
}
