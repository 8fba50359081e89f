import type { LlmOutcome } from "./llm-reply.ts";

/**
 * What a call tells about its provider: that it answers, that it is away, that it may be (`doubtful`), or nothing. An error
 * about this call only, a rate limit among them, is an answer.
 */
export type ProviderVerdict = "answers" | "away" | "doubtful" | "unknown";

/** A gateway that stops reports `overloaded` with this delay, in milliseconds; no provider is overloaded for so short. */
const STOPPING_GATEWAY_MS = 1_000;

/**
 * The provider as such is meant by: no tries left, no connection, overload. A refused credential is an answer: the call costs
 * nothing, and its session is to end with that error at once.
 */
export function providerVerdict(outcome: LlmOutcome): ProviderVerdict {
  if (outcome.kind === "completed") return "answers";
  if (outcome.kind !== "failed") return "unknown";
  const { code, retryAfterMs, lastCode } = outcome;
  switch (code) {
    case "max_retries":
      return lastCode === "rate_limited" ? "answers" : "away";
    case "overloaded":
      return retryAfterMs !== undefined && retryAfterMs > STOPPING_GATEWAY_MS ? "away" : "unknown";
    case "provider_error":
      return retryAfterMs === undefined ? "doubtful" : "away";
    case "timeout":
      return "doubtful";
    case "credentials":
    case "rate_limited":
    case "invalid_request":
    case "context_too_long":
    case "content_blocked":
    case "partial_stream_error":
    case "output_loop":
      return "answers";
    default:
      return "unknown";
  }
}
