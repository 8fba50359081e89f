import { Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { errorMessage } from "#shared/errors.ts";
import type {
  CodeExecutionDelta,
  GenerateRequest,
  GenerateResponse,
  GroundingDelta,
  LLMServiceClient,
  ToolCallDelta,
  UsageInfo,
} from "#shared/generated/llm/v1/llm.ts";

/** How a call ended. */
export type LlmOutcome =
  | { readonly kind: "completed" }
  /** The provider or the gateway said no. */
  | { readonly kind: "failed"; readonly code: string; readonly message: string; readonly retryable: boolean }
  /** The connection to the gateway broke: the same call may be made again at once. `reason` is for the log. */
  | { readonly kind: "interrupted"; readonly message: string; readonly reason: string };

/** Everything one call returned. Text and thinking are whole; the deltas went to the handlers. */
export interface LlmReply {
  readonly outcome: LlmOutcome;
  readonly text: string;
  readonly thinking: string;
  readonly toolCalls: readonly ToolCallDelta[];
  readonly codeExecutions: readonly CodeExecutionDelta[];
  readonly groundings: readonly GroundingDelta[];
  readonly usage: UsageInfo | null;
  readonly providerState: Uint8Array | null;
}

/** What a call has returned before its first chunk. */
export const NOTHING_SAID: Omit<LlmReply, "outcome"> = {
  text: "",
  thinking: "",
  toolCalls: [],
  codeExecutions: [],
  groundings: [],
  usage: null,
  providerState: null,
};

/** Called for every non-empty delta, in order; awaited before the next is read. */
export interface DeltaHandlers {
  readonly thinking: (delta: string) => Promise<void> | undefined;
  readonly text: (delta: string) => Promise<void> | undefined;
}

export interface CallOptions {
  readonly llm: LLMServiceClient;
  readonly request: GenerateRequest;
  /** Cancels the call, down to the provider's socket. */
  readonly signal: AbortSignal;
  /** The call's deadline from now, in milliseconds. */
  readonly timeoutMs: number;
}

type Collected = { -readonly [K in keyof Omit<LlmReply, "outcome">]: LlmReply[K] };

/**
 * Makes one streaming call to the llm-gateway and collects what it returns. Never rejects for what the call does: that
 * is the outcome. Rejects with what a handler throws, after cancelling the call.
 */
export async function callLlm(options: CallOptions, handlers: DeltaHandlers): Promise<LlmReply> {
  const collected: Collected = { ...NOTHING_SAID };
  const outcome = await receive(options, handlers, collected);
  return { ...collected, outcome };
}

async function receive(
  { llm, request, signal, timeoutMs }: CallOptions,
  handlers: DeltaHandlers,
  collected: Collected,
): Promise<LlmOutcome> {
  // A gateway that is just starting is waited for; the deadline bounds it.
  const metadata = new Metadata({ waitForReady: true });
  const call = llm.generate(request, metadata, { deadline: Date.now() + timeoutMs });
  const cancel = () => call.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const responses: AsyncIterator<GenerateResponse> = call[Symbol.asyncIterator]();
  try {
    for (;;) {
      let next: IteratorResult<GenerateResponse>;
      try {
        next = await responses.next();
      } catch (error) {
        return outcomeOf(error, timeoutMs);
      }
      if (next.done === true) return interrupted("the stream ended without its final chunk");
      const failure = await take(next.value, handlers, collected);
      if (failure !== undefined) return failure;
      if (next.value.isFinal) return { kind: "completed" };
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    call.cancel();
  }
}

async function take(
  { content }: GenerateResponse,
  handlers: DeltaHandlers,
  collected: Collected,
): Promise<LlmOutcome | undefined> {
  switch (content?.$case) {
    case undefined:
      return undefined;
    case "text":
      collected.text += content.value.content;
      await handlers.text(content.value.content);
      return undefined;
    case "thinking":
      collected.thinking += content.value.content;
      await handlers.thinking(content.value.content);
      return undefined;
    case "toolCall":
      collected.toolCalls = [...collected.toolCalls, content.value];
      return undefined;
    case "codeExecution":
      collected.codeExecutions = [...collected.codeExecutions, content.value];
      return undefined;
    case "grounding":
      collected.groundings = [...collected.groundings, content.value];
      return undefined;
    case "usage":
      collected.usage = content.value;
      return undefined;
    case "providerState":
      collected.providerState = content.value.data;
      return undefined;
    case "error":
      return { kind: "failed", ...content.value };
    default:
      return content satisfies never;
  }
}

/** Transport errors; the provider's own come as chunks. gRPC's words are for the log, not for who reads a session. */
function outcomeOf(error: unknown, timeoutMs: number): LlmOutcome {
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
    case status.UNIMPLEMENTED:
    case status.INVALID_ARGUMENT:
      return {
        kind: "failed",
        code: "invalid_request",
        message: "the LLM gateway does not know this kind of call: run the same version of both services",
        retryable: false,
      };
    default:
      return interrupted(errorMessage(error));
  }
}

function interrupted(reason: string): LlmOutcome {
  return {
    kind: "interrupted",
    message: "the connection to the LLM gateway broke before the answer was complete",
    reason,
  };
}

/** The outcome of a call whose time was up, however that was noticed. */
export function timedOut(timeoutMs: number): LlmOutcome {
  const message = `LLM call timed out after ${timeoutMs / 1_000} s`;
  return { kind: "failed", code: "timeout", message, retryable: true };
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number";
}
