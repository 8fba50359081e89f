import { retryable, terminal } from "../../../errors/llm-error.ts";
import { OUTPUT_LIMIT_NOTE, type FinishVerdict } from "../../finish-verdict.ts";

interface GeminiFinish {
  /** As Gemini sent it; undefined where the stream ended without one. */
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** Text or function calls have come out. */
  readonly answered: boolean;
  readonly calledTools: boolean;
  /** Anything has come out, thinking included. */
  readonly begun: boolean;
}

/** Judges the finish reason: no answer that stopped early passes as a whole one. */
export function geminiFinishVerdict({
  reason,
  message,
  answered,
  calledTools,
  begun,
}: GeminiFinish): FinishVerdict {
  const detail = message === undefined || message === "" ? "" : `: ${message}`;
  switch (reason) {
    case "STOP":
      return {};
    case undefined:
    case "FINISH_REASON_UNSPECIFIED":
      if (!begun) return { error: retryable("provider_error", "the model's answer is empty") };
      return { error: retryable("partial_stream_error", "the answer broke off: it has no finish reason") };
    case "MAX_TOKENS":
      if (answered || calledTools) return { note: OUTPUT_LIMIT_NOTE };
      return { error: retryable("provider_error", "the model used up its output tokens before it answered") };
    case "SAFETY":
    case "PROHIBITED_CONTENT":
    case "BLOCKLIST":
    case "SPII":
    case "LANGUAGE":
      return { error: terminal("content_blocked", `the provider blocked the answer (${reason})${detail}`) };
    case "RECITATION":
      // Sampling again usually gives other words.
      return { error: retryable("content_blocked", `the provider blocked the answer (${reason})${detail}`) };
    default:
      return { error: retryable("provider_error", `the model stopped with ${reason}${detail}`) };
  }
}
