import { Metadata } from "@grpc/grpc-js";
import type { GenerateRequest, GenerateResponse, LLMServiceClient } from "#shared/generated/llm/v1/llm.ts";
import type { Logger } from "#shared/service/logger.ts";
import { traceCarrier, capturesContent, inSpan, type SpanAttributes } from "#shared/telemetry/tracing.ts";
import { jitter, pause } from "#shared/pause.ts";
import { gatewayAddress, isGatewayConnected } from "./gateway-connection.ts";
import {
  EMPTY_REPLY,
  interrupted,
  outcomeOf,
  timedOut,
  unreachable,
  type LlmOutcome,
  type LlmReply,
} from "./llm-reply.ts";
import { maskReply } from "./mask-reply.ts";
import type { AppendedMessage } from "../persist/conversation.ts";
import type { OwnedSession } from "../core/owned-session.ts";
import type { SessionLlm, SessionMasker, Signals } from "../core/session-parts.ts";
import { contentMask, inputMessages, outputMessages } from "../tracing/message-parts.ts";
import { providerName } from "../tracing/agent-spans.ts";

/** How often a call of a step may break after a gateway has accepted it: once, and at most two repetitions. */
const MAX_LOST_CALLS = 3;
const RETRY_MS = 500;
/** How long a call looks for a gateway: as long as a restart may take. */
const GATEWAY_PATIENCE_MS = 10_000;
/** The same after a wait for a gateway: longer than the pause between two connection attempts of the client. */
const REPEATED_PATIENCE_MS = 3_000;

/** Called for every non-empty delta, in order; awaited before the next is read. */
export interface DeltaHandlers {
  readonly thinking: (delta: string) => Promise<void> | undefined;
  readonly text: (delta: string) => Promise<void> | undefined;
}

interface LlmCall {
  readonly request: GenerateRequest;
  /** The time for all tries together, in milliseconds. */
  readonly timeoutMs: number;
  /** Calls of this step that broke before; they count towards `MAX_LOST_CALLS`. */
  readonly lostCalls?: number;
  /** True if the step has just waited for a gateway. */
  readonly hasWaited?: boolean;
  /** Asked before a call that broke is repeated; false: its outcome stays. Absent: it may be. */
  readonly mayRepeat?: () => Promise<boolean>;
  /** Called before each try, except after one that reached no gateway. */
  readonly begin: () => DeltaHandlers & {
    /** Awaited once a try has completed. */
    readonly end?: () => Promise<void>;
  };
}

/** The session on whose behalf the call is made. */
interface LlmCaller {
  readonly llm: Pick<SessionLlm, "client">;
  readonly log: Logger;
  readonly signals: Pick<Signals, "cancelled">;
}

/** A call's reply, and how many of the step's calls have broken in total. */
interface FinalReply {
  readonly reply: LlmReply;
  readonly lostCalls: number;
}

interface ShownCall extends LlmCall {
  /** The conversation without the values of variables, for traces with content. */
  readonly shown: readonly AppendedMessage[];
}

/**
 * Makes a call with `callLlm` in a span of its own, named and described as OpenTelemetry's conventions for generative AI say;
 * the texts of the provider are masked.
 */
export async function callModel(
  session: LlmCaller & Pick<OwnedSession, "sessionId" | "masking">,
  { shown, ...options }: ShownCall,
): Promise<FinalReply> {
  const { llmConfig, executionId } = options.request;
  const model = llmConfig?.model ?? "";
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerName(llmConfig?.providerType ?? ""),
    "gen_ai.request.model": model,
    "gen_ai.request.stream": true,
    "gen_ai.request.max_tokens": llmConfig?.maxOutputTokens === 0 ? undefined : llmConfig?.maxOutputTokens,
    "gen_ai.conversation.id": session.sessionId,
    "tarsy.execution.id": executionId,
    "tarsy.llm.provider": llmConfig?.providerName,
  };
  return inSpan(`chat ${model}`, { kind: "client", attributes }, async (span) => {
    const { reply, lostCalls } = await callLlm(session, options);
    // Masked before it is recorded, shared with other sessions or logged.
    const final = { reply: await maskReply(session.masking.masker, reply), lostCalls };
    span.set(replyAttributes(final.reply, final.lostCalls - (options.lostCalls ?? 0)));
    const failure = errorType(final.reply.outcome);
    if (failure !== undefined) span.fail(failure);
    if (capturesContent()) span.setLater(contentOf(session.masking, shown, final.reply));
    return final;
  });
}

/**
 * Makes one streaming call to the llm-gateway and collects its reply; repeats it if the connection to the gateway broke.
 * A failed call is an outcome, not an error. Throws the signal's reason once the session is cancelled, down to the
 * provider's socket, and what a handler throws.
 */
export async function callLlm(
  { llm: { client }, log, signals: { cancelled } }: LlmCaller,
  { request, timeoutMs, lostCalls: lostBefore = 0, hasWaited = false, mayRepeat, begin }: LlmCall,
): Promise<FinalReply> {
  const patienceMs = hasWaited ? REPEATED_PATIENCE_MS : GATEWAY_PATIENCE_MS;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([cancelled, deadline]);
  cancelled.throwIfAborted();
  let lostCalls = lostBefore;
  let unreachableSince: number | undefined;
  let handlers = begin();
  for (;;) {
    const reply = await tryLlmCall({ llm: client, request, signal, timeoutMs }, handlers);
    const { outcome } = reply;
    if (outcome.kind === "completed") await handlers.end?.();
    cancelled.throwIfAborted();
    if (outcome.kind === "interrupted") {
      lostCalls += 1;
      log.warn({ lost_calls: lostCalls, error: outcome.reason }, "LLM call interrupted: retrying");
    }
    if (outcome.kind === "unreachable") unreachableSince ??= performance.now();
    else unreachableSince = undefined;
    if (deadline.aborted && outcome.kind !== "completed") {
      return { reply: { ...reply, outcome: timedOut(timeoutMs) }, lostCalls };
    }
    const isOver =
      outcome.kind === "completed" ||
      outcome.kind === "failed" ||
      (outcome.kind === "interrupted" && lostCalls >= MAX_LOST_CALLS) ||
      (unreachableSince !== undefined && performance.now() - unreachableSince >= patienceMs);
    if (isOver || (await mustNotRepeat(outcome, mayRepeat))) return { reply, lostCalls };
    // At the deadline the next try fails immediately, and the reply becomes a timeout.
    await pause(jitter(RETRY_MS), signal).catch(() => undefined);
    // A call that is sent and cancelled immediately may have reached the gateway.
    cancelled.throwIfAborted();
    if (outcome.kind === "interrupted") handlers = begin();
  }
}

/** True if the call broke and is not to be made again. */
async function mustNotRepeat({ kind }: LlmOutcome, mayRepeat: LlmCall["mayRepeat"]): Promise<boolean> {
  return kind === "interrupted" && mayRepeat !== undefined && !(await mayRepeat());
}

interface Try {
  readonly llm: LLMServiceClient;
  readonly request: GenerateRequest;
  readonly signal: AbortSignal;
  /** From now, in milliseconds. */
  readonly timeoutMs: number;
}

/** Lets the gateway continue the trace. */
function traceMetadata(): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(traceCarrier() ?? {})) metadata.set(name, value);
  return metadata;
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
  const call = llm.generate(request, traceMetadata(), { deadline: Date.now() + timeoutMs });
  const link = watchAcceptance(llm, call);
  const cancel = () => call.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const responses: AsyncIterator<GenerateResponse> = call[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      let next: IteratorResult<GenerateResponse>;
      try {
        next = await responses.next();
      } catch (error) {
        if (link.hasGivenUp()) return unreachable(gatewayAddress(llm), NO_CONNECTION);
        return outcomeOf(error, { timeoutMs, isAccepted: link.isAccepted(), address: gatewayAddress(llm) });
      }
      if (next.done === true) return interrupted("the stream ended without its final chunk");
      collected.answeredBy = next.value.answeredBy ?? null;
      const failure = await collect(next.value, handlers, collected);
      isOver = next.value.isFinal;
      if (failure !== undefined) return failure;
      if (isOver) return { kind: "completed" };
    }
  } finally {
    link.stop();
    signal.removeEventListener("abort", cancel);
    // After its final chunk the gateway ends the call, or its deadline does; the iterator still listens for an error. A
    // cancel would send a reset: at more than 33 a second for long, Node closes the connection with all its calls.
    if (!isOver) call.cancel();
  }
}

/** A connection attempt to an address that drops packets stays open: a call that waits for one is given up after this. */
const CONNECT_WITHIN_MS = 5_000;
const NO_CONNECTION = `no connection within ${CONNECT_WITHIN_MS / 1_000} s`;

/** Watches whether a gateway accepts a call; cancels the call if there is no connection to send it on. */
function watchAcceptance(
  llm: LLMServiceClient,
  call: ReturnType<LLMServiceClient["generate"]>,
): { isAccepted(): boolean; hasGivenUp(): boolean; stop(): void } {
  let accepted = false;
  let givenUp = false;
  // A gateway sends its metadata before it calls the provider.
  const onMetadata = () => {
    accepted = true;
  };
  call.on("metadata", onMetadata);
  const timer = setTimeout(() => {
    if (accepted || isGatewayConnected(llm)) return;
    givenUp = true;
    call.cancel();
  }, CONNECT_WITHIN_MS);
  return {
    isAccepted: () => accepted,
    hasGivenUp: () => givenUp,
    stop: () => {
      clearTimeout(timer);
      call.off("metadata", onMetadata);
    },
  };
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
    case "warning":
      collected.warnings = [...collected.warnings, content.value];
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

function replyAttributes({ usage, answeredBy }: LlmReply, lostCalls: number): SpanAttributes {
  return {
    "gen_ai.response.model": answeredBy ?? undefined,
    "gen_ai.usage.input_tokens": usage?.inputTokens,
    // The conventions count reasoning as output; we count it beside the output.
    "gen_ai.usage.output_tokens": usage === null ? undefined : usage.outputTokens + usage.thinkingTokens,
    "gen_ai.usage.reasoning.output_tokens": usage?.thinkingTokens || undefined,
    "tarsy.llm.lost_calls": lostCalls === 0 ? undefined : lostCalls,
  };
}

function errorType(outcome: LlmOutcome): string | undefined {
  if (outcome.kind === "completed") return undefined;
  return outcome.kind === "failed" ? outcome.code : outcome.kind;
}

async function contentOf(
  masking: SessionMasker,
  shown: readonly AppendedMessage[],
  reply: LlmReply,
): Promise<SpanAttributes> {
  const mask = contentMask(masking);
  return {
    "gen_ai.input.messages": await inputMessages(shown, mask),
    "gen_ai.output.messages": await outputMessages(reply, mask),
  };
}
