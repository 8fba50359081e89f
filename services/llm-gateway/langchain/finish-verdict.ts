import type { RetryableError, TerminalError } from "#shared/errors.ts";
import { refusal, setback } from "../llm-error.ts";

export interface Finish {
  /** As the provider sent it; undefined where the stream ended without one. */
  readonly reason: string | undefined;
  /** Text has come out. */
  readonly answered: boolean;
  readonly calledTools: boolean;
  /** The arguments of every tool call are whole. */
  readonly callsWhole: boolean;
  /** Anything has come out, thinking included. */
  readonly begun: boolean;
}

/** How an answer ended: whole, cut short (with a note for its readers), or failed. */
export type FinishVerdict = { readonly note?: string; readonly error?: RetryableError | TerminalError };

const CUT_OFF = "\n\n[The answer ends here: the model reached its limit of output tokens.]";
const NO_ROOM = "\n\n[The answer ends here: the conversation fills the model's context.]";

/** Judges the finish reason, in any provider's words: no answer that stopped early passes as a whole one. */
export function finishVerdict(finish: Finish): FinishVerdict {
  const { reason, begun } = finish;
  switch (reason) {
    case "stop":
    case "end_turn":
    case "stop_sequence":
    case "tool_calls":
    case "function_call":
    case "tool_use":
    case "completed":
    case "eos":
      return {};
    case undefined:
      if (finish.calledTools && finish.callsWhole) return {};
      if (!begun) return { error: setback("provider_error", "the model's answer is empty") };
      return { error: setback("partial_stream_error", "the answer broke off: it has no finish reason") };
    case "length":
    case "max_tokens":
    case "max_output_tokens":
      return cutShort(finish, CUT_OFF, "the model used up its output tokens");
    case "model_context_window_exceeded":
      return cutShort(finish, NO_ROOM, "the conversation fills the model's context");
    case "content_filter":
    case "refusal":
    case "sensitive":
      return { error: refusal("content_blocked", `the provider blocked the answer (${reason})`) };
    default:
      return { error: setback("provider_error", `the model stopped with ${reason}`) };
  }
}

function cutShort({ answered, calledTools, callsWhole }: Finish, note: string, why: string): FinishVerdict {
  if (calledTools) {
    return callsWhole ? {} : { error: setback("provider_error", `${why} in the middle of a tool call`) };
  }
  return answered ? { note } : { error: setback("provider_error", `${why} before it answered`) };
}
