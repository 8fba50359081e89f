import type {
  CodeExecutionDelta,
  GroundingDelta,
  ToolCallDelta,
  UsageInfo,
} from "#shared/generated/llm/v1/llm.ts";
import { NO_TOKENS, type TokenUsage } from "../state/token-usage.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { status, type ServiceError } from "@grpc/grpc-js";
import { errorMessage } from "#shared/errors.ts";

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
  /** The model that the provider says has answered; null if it named none. */
  readonly answeredBy: string | null;
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
  answeredBy: null,
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

/** Maps transport errors; provider errors arrive as chunks. gRPC's text goes to the log, not into the session. */
export function outcomeOf(
  error: unknown,
  { timeoutMs, isAccepted, address }: { timeoutMs: number; isAccepted: boolean; address: string },
): LlmOutcome {
  const code: number | undefined = isServiceError(error) ? error.code : undefined;
  switch (code) {
    case status.DEADLINE_EXCEEDED:
      return timedOut(timeoutMs);
    case status.RESOURCE_EXHAUSTED:
      return {
        kind: "failed",
        code: "message_too_large",
        message:
          "the conversation is larger than one message to the LLM gateway may be: set a lower max_tool_result_tokens",
        retryable: false,
      };
    case status.UNAUTHENTICATED:
      // While a token is replaced, and during an upgrade, this passes; no session may fail for it.
      return {
        kind: "unreachable",
        message: `the LLM gateway at ${address} refuses this executor's token: LLM_GATEWAY_TOKEN of the executor must be the gateway's LLM_GATEWAY_TOKEN or LLM_GATEWAY_PREVIOUS_TOKEN`,
        reason: errorMessage(error),
      };
    case status.UNIMPLEMENTED:
    case status.INVALID_ARGUMENT:
      return {
        kind: "failed",
        code: "invalid_request",
        message: "the LLM gateway does not know this kind of call: run the same version of both services",
        retryable: false,
      };
    default:
      return isAccepted ? interrupted(errorMessage(error)) : unreachable(address, errorMessage(error));
  }
}

export function interrupted(reason: string): LlmOutcome {
  return {
    kind: "interrupted",
    message: "the connection to the LLM gateway broke before the answer was complete",
    reason,
  };
}

export function unreachable(address: string, reason: string): LlmOutcome {
  return { kind: "unreachable", message: `no LLM gateway can be reached at ${address}`, reason };
}

export function timedOut(timeoutMs: number): LlmOutcome {
  const message = `LLM call timed out after ${timeoutMs / 1_000} s`;
  return { kind: "failed", code: "timeout", message, retryable: true };
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number";
}
