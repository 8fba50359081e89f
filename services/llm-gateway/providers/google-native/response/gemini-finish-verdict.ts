import { retryable, terminal } from "../../../errors/llm-error.ts";
import { OUTPUT_LIMIT_NOTE, type FinishVerdict } from "../../finish-verdict.ts";

interface GeminiFinish {
  /** Gemini's finish reason; undefined if the answer ended without one. */
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** Text was sent. */
  readonly answered: boolean;
  readonly calledTools: boolean;
  /** Any content was sent, thinking included. */
  readonly begun: boolean;
}

/** How an answer with this finish reason ended; one that stopped early is never a success. */
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
      // Another sample usually has different words.
      return { error: retryable("content_blocked", `the provider blocked the answer (${reason})${detail}`) };
    default:
      return { error: retryable("provider_error", `the model stopped with ${reason}${detail}`) };
  }
}
