import { storableText } from "#shared/storable-text.ts";
import type { LlmReply } from "./call-llm.ts";

/** Why a call came to nothing; storable. */
export interface CallFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/**
 * Why the call failed, or null if it did not. A reply without text cannot go on as a conversation: it counts as failed,
 * unless it holds thinking that may stand for an answer.
 */
export function replyFailure(
  { outcome, text, thinking, toolCalls }: LlmReply,
  { thinkingMayAnswer }: { readonly thinkingMayAnswer: boolean },
): CallFailure | null {
  switch (outcome.kind) {
    case "failed":
      return {
        ...outcome,
        code: storableText(outcome.code).text,
        message: storableText(outcome.message).text,
      };
    case "interrupted":
      return { code: "gateway_unavailable", message: storableText(outcome.message).text, retryable: true };
    case "completed":
      if (text !== "" || toolCalls.length > 0) return null;
      if (thinkingMayAnswer && thinking !== "") return null;
      return { code: "empty_response", message: "the model returned no text", retryable: true };
    default:
      return outcome satisfies never;
  }
}
