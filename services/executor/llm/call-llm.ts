import { Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { errorMessage } from "#shared/errors.ts";
import type { GenerateRequest, GenerateResponse, LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import type { Logger } from "#shared/service/logger.ts";
import { jitter, pause } from "#shared/pause.ts";
import { EMPTY_REPLY, type LlmOutcome, type LlmReply } from "./llm-reply.ts";

/** How often one call is sent when the connection to the gateway breaks under it. */
const MAX_TRIES = 3;
const RETRY_MS = 500;

/** Called for every non-empty delta, in order; awaited before the next is read. */
export interface DeltaHandlers {
  readonly thinking: (delta: string) => Promise<void> | undefined;
  readonly text: (delta: string) => Promise<void> | undefined;
}

interface LlmCall {
  readonly request: GenerateRequest;
  /** For all tries together, in milliseconds. */
  readonly timeoutMs: number;
  /** Called before each try with the attempt's number, which rises across tries and owners. */
  readonly begin: (attempt: number) => DeltaHandlers & {
    /** Awaited once a try has completed. */
    readonly end?: () => Promise<void>;
  };
}

/** The session on whose behalf the call is made. */
interface LlmCaller {
  readonly llm: LLMServiceClient;
  readonly epoch: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Makes one streaming call to the llm-gateway and collects its reply; repeats it if the connection to the gateway broke.
 * A failed call is an outcome, not an error. Throws the signal's reason once the session is cancelled, down to the
 * provider's socket, and what a handler throws.
 */
export async function callLlm(caller: LlmCaller, { request, timeoutMs, begin }: LlmCall): Promise<LlmReply> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([caller.signal, deadline]);
  for (let attempt = 1; ; attempt++) {
    // A call that is sent and cancelled immediately may have reached the gateway.
    caller.signal.throwIfAborted();
    const handlers = begin((caller.epoch - 1) * MAX_TRIES + attempt);
    const reply = await tryLlmCall({ llm: caller.llm, request, signal, timeoutMs }, handlers);
    if (reply.outcome.kind === "completed") await handlers.end?.();
    caller.signal.throwIfAborted();
    if (reply.outcome.kind === "completed") return reply;
    if (deadline.aborted) return { ...reply, outcome: timedOut(timeoutMs) };
    if (reply.outcome.kind === "failed" || attempt === MAX_TRIES) return reply;
    caller.log.warn({ attempt, error: reply.outcome.reason }, "LLM call interrupted: retrying");
    // At the deadline the next try fails immediately, and the reply becomes a timeout.
    await pause(jitter(RETRY_MS * attempt), signal).catch(() => caller.signal.throwIfAborted());
  }
}

interface Try {
  readonly llm: LLMServiceClient;
  readonly request: GenerateRequest;
  readonly signal: AbortSignal;
  /** From now, in milliseconds. */
  readonly timeoutMs: number;
}

type Collected = { -readonly [K in keyof Omit<LlmReply, "outcome">]: LlmReply[K] };

/** One try: sends the call and collects what it returns. Rejects only with what a handler throws, after cancelling. */
export async function tryLlmCall(options: Try, handlers: DeltaHandlers): Promise<LlmReply> {
  const collected: Collected = { ...EMPTY_REPLY };
  const outcome = await receive(options, handlers, collected);
  return { ...collected, outcome };
}

async function receive(
  { llm, request, signal, timeoutMs }: Try,
  handlers: DeltaHandlers,
  collected: Collected,
): Promise<LlmOutcome> {
  // Waits for a gateway that is starting; the deadline bounds the wait.
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
      const failure = await collect(next.value, handlers, collected);
      if (failure !== undefined) return failure;
      if (next.value.isFinal) return { kind: "completed" };
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    call.cancel();
  }
}

async function collect(
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

/** Maps transport errors; provider errors arrive as chunks. gRPC's text goes to the log, not into the session. */
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

function timedOut(timeoutMs: number): LlmOutcome {
  const message = `LLM call timed out after ${timeoutMs / 1_000} s`;
  return { kind: "failed", code: "timeout", message, retryable: true };
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number";
}
