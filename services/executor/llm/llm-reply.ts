import type {
  CodeExecutionDelta,
  GroundingDelta,
  ToolCallDelta,
  UsageInfo,
} from "#shared/generated/llm/v1/llm.ts";
import { NO_TOKENS, type TokenUsage } from "../state/token-usage.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";

/** How an LLM call ended. */
export type LlmOutcome =
  | { readonly kind: "completed" }
  /** The provider or the gateway reported an error. `retryAfterMs`: when it said that the call may succeed. */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
      readonly retryAfterMs?: number | undefined;
      /** With code max_retries: the code of the last try's error. */
      readonly lastCode?: string | undefined;
      /** Code units of the text and of the thinking that are worth keeping; undefined for all. */
      readonly keepText?: number | undefined;
      readonly keepThinking?: number | undefined;
    }
  /**
   * The connection broke after a gateway had accepted the call, which may have been paid for. It may be repeated
   * immediately. `reason` is for the log.
   */
  | { readonly kind: "interrupted"; readonly message: string; readonly reason: string }
  /** No gateway accepted the call, so it cost nothing. `reason` is for the log. */
  | { readonly kind: "unreachable"; readonly message: string; readonly reason: string };

/** A warning of the gateway. */
interface LlmWarning {
  readonly code: string;
  readonly message: string;
}

/** Everything one call returned, with text and thinking as a whole. */
export interface LlmReply {
  readonly outcome: LlmOutcome;
  readonly text: string;
  readonly thinking: string;
  readonly toolCalls: readonly ToolCallDelta[];
  readonly codeExecutions: readonly CodeExecutionDelta[];
  readonly groundings: readonly GroundingDelta[];
  readonly usage: UsageInfo | null;
  readonly providerState: Uint8Array | null;
  /** Remarks for people about a call that continued all the same. */
  readonly warnings: readonly LlmWarning[];
  /** No gateway was asked; absent if one was, or may have been. */
  readonly isUnsent?: true;
}

/** A reply before its first chunk. */
export const EMPTY_REPLY: Omit<LlmReply, "outcome"> = {
  text: "",
  thinking: "",
  toolCalls: [],
  codeExecutions: [],
  groundings: [],
  usage: null,
  providerState: null,
  warnings: [],
};

/** Why a call gave no usable reply; Postgres-safe. */
export interface CallFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/**
 * Why the call failed, or null if it did not. A reply without text cannot continue a conversation: it counts as failed,
 * unless `thinkingMayAnswer` and it holds thinking.
 */
export function replyFailure(
  { outcome, text, thinking, toolCalls }: LlmReply,
  { thinkingMayAnswer }: { readonly thinkingMayAnswer: boolean },
): CallFailure | null {
  switch (outcome.kind) {
    case "failed":
      return {
        code: postgresSafeText(outcome.code).text,
        message: postgresSafeText(outcome.message).text,
        retryable: outcome.retryable,
      };
    case "interrupted":
    case "unreachable":
      return {
        code: "gateway_unavailable",
        message: postgresSafeText(outcome.message).text,
        retryable: true,
      };
    case "completed":
      if (text !== "" || toolCalls.length > 0) return null;
      if (thinkingMayAnswer && thinking !== "") return null;
      return { code: "empty_response", message: "the model returned no text", retryable: true };
    default:
      return outcome satisfies never;
  }
}

/** The tokens a call used, by the provider's count; zero where the provider reported none. */
export function replyTokens({ usage }: LlmReply): TokenUsage {
  if (usage === null) return NO_TOKENS;
  const { inputTokens, outputTokens, thinkingTokens, totalTokens } = usage;
  return { input: inputTokens, output: outputTokens, thinking: thinkingTokens, total: totalTokens };
}
