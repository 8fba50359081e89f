import { retryable, terminal } from "../../../errors/llm-error.ts";
import { OUTPUT_LIMIT_NOTE, type FinishVerdict } from "../../finish-verdict.ts";
import { NO_REASON } from "./no-reason.ts";

interface LangchainFinish {
  /** The provider's finish reason; undefined if the answer ended without one. */
  readonly reason: string | undefined;
  /** The reason of the provider behind a router, in its own words. */
  readonly nativeReason: string | undefined;
  /** Text was sent. */
  readonly answered: boolean;
  readonly calledTools: boolean;
  /**
   * The arguments of every tool call are complete JSON. Those of the last call must not be empty: nothing may have been sent
   * of them yet.
   */
  readonly callsWhole: boolean;
  /** Any content has arrived, thinking included. */
  readonly begun: boolean;
}

const COMPLETE = new Set(["stop", "end_turn", "stop_sequence", "completed", "complete", "eos", "eos_token"]);
/** Words of a failure: a router's own reason may be `stop` where the provider behind it has failed. */
const FAILED = /malformed|unexpected|invalid|missing|too_many|error|fail|abort|^other$/iu;
const BLOCKED =
  /content_filter|refusal|sensitive|safety|prohibited|blocklist|spii|recitation|guardrail|moderation|blocked/iu;
const CONTEXT_FULL_NOTE = "\n\n[The answer ends here: the conversation fills the model's context.]";

/** How an answer with this finish reason, of any API, ended; one that stopped early is never a success. */
export function langchainFinishVerdict(finish: LangchainFinish): FinishVerdict {
  const { begun } = finish;
  const said = decidingReason(finish);
  const reason = usualWord(said);
  if (reason !== undefined && COMPLETE.has(reason)) return {};
  switch (reason) {
    case "tool_calls":
    case "function_call":
    case "tool_use":
      return finish.calledTools || !begun
        ? {}
        : brokenOff("the model stopped for a tool call, but none came");
    case NO_REASON:
      return !finish.calledTools || finish.callsWhole
        ? {}
        : brokenOff("it ends in the middle of a tool call");
    case undefined:
      return begun
        ? brokenOff("it has no finish reason")
        : { error: retryable("provider_error", "the model's answer is empty") };
    case "length":
    case "max_tokens":
    case "max_output_tokens":
      return truncated(finish, OUTPUT_LIMIT_NOTE, "the model used up its output tokens");
    case "model_context_window_exceeded":
      return truncated(finish, CONTEXT_FULL_NOTE, "the conversation fills the model's context");
    default:
      return { error: stopError(said ?? reason) };
  }
}

/** Servers write reasons in either case, and a few in words of their own. */
function usualWord(reason: string | undefined): string | undefined {
  const word = reason?.toLowerCase();
  return word === "tool_call" ? "tool_calls" : word === "model_length" ? "length" : word;
}

function decidingReason({ reason, nativeReason = "" }: LangchainFinish): string | undefined {
  return FAILED.test(nativeReason) || BLOCKED.test(nativeReason) ? nativeReason : reason;
}

function stopError(reason: string): NonNullable<FinishVerdict["error"]> {
  return BLOCKED.test(reason)
    ? terminal("content_blocked", `the provider blocked the answer (${reason})`)
    : retryable("provider_error", `the model stopped with ${reason}`);
}

function brokenOff(why: string): FinishVerdict {
  return { error: retryable("partial_stream_error", `the answer broke off: ${why}`) };
}

function truncated(
  { answered, calledTools, callsWhole }: LangchainFinish,
  note: string,
  why: string,
): FinishVerdict {
  if (calledTools) {
    return callsWhole ? {} : { error: retryable("provider_error", `${why} in the middle of a tool call`) };
  }
  return answered ? { note } : { error: retryable("provider_error", `${why} before it answered`) };
}
