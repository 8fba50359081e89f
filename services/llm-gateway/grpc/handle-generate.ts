import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { Metadata, type ServerWritableStream } from "@grpc/grpc-js";
import { CancelledError, coerceError, type RetryableError } from "#shared/errors.ts";
import { isUncharged } from "#shared/contracts/llm-error-codes.ts";
import { hashProvider, type HashedProvider } from "#shared/contracts/provider-hash.ts";
import type {
  GenerateRequest,
  GenerateResponse,
  LLMConfig,
  WarningInfo,
} from "#shared/generated/llm/v1/llm.ts";
import { retirementOf } from "#shared/pricing/retirement-of.ts";
import type { Logger } from "#shared/service/logger.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { retryable, terminal } from "../errors/llm-error.ts";
import { nameTarget } from "../errors/name-target.ts";
import type { CallRecord } from "../gateway-metrics.ts";
import { providerConfig, type ConfiguredProviders } from "../providers/provider-config.ts";
import { providerTarget } from "../providers/provider-target.ts";
import type { Content, Provider, ProviderCall } from "../providers/provider.ts";
import type { AdaptCall } from "../tool-schemas/adapt-call.ts";
import { limitOutput } from "./limit-output.ts";
import { toErrorInfo } from "./to-error-info.ts";

type GenerateCall = ServerWritableStream<GenerateRequest, GenerateResponse>;

/** Another gateway takes the next call at once; a single one is restarted in about this time. */
const STOPPING_MS = 1_000;
/** In code units. */
const MAX_MODEL_NAME = 200;

interface HandleGenerateOptions {
  readonly provider: Provider;
  readonly adaptCall: AdaptCall;
  /** The providers that a call may name. */
  readonly configured: ConfiguredProviders;
  readonly maxOutputBytes: number;
  /** The time that a call without a deadline may take. */
  readonly callTimeoutMs: number;
  /** Aborts with CancelledError `shutdown` when the stop grace is over. */
  readonly stopping: AbortSignal;
  /** True for a key that it has not been called with. */
  readonly warnOnce: (key: string) => boolean;
  readonly record: CallRecord;
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Handles one Generate call: streams the provider's chunks with backpressure and ends with exactly one final chunk,
 * unless the caller is gone. Never rejects; an error becomes the final chunk.
 */
export async function handleGenerate(call: GenerateCall, options: HandleGenerateOptions): Promise<void> {
  const { record, log } = options;
  const caller = new AbortController();
  const cancelled = () =>
    caller.abort(new CancelledError("user", "the caller cancelled or its deadline passed"));
  call.on("cancelled", cancelled);
  call.on("error", (error) => log.debug({ reason: error.message }, "caller's gRPC stream failed"));
  // Tells the caller that this call has reached a gateway: from now on it may cost something.
  call.sendMetadata(new Metadata());
  const limit = limitTime(call, options.callTimeoutMs);
  let answeredBy: string | undefined;
  try {
    await streamContent(call, AbortSignal.any([caller.signal, options.stopping, ...limit.signals]), {
      ...options,
      deadline: limit.deadline,
      answeredBy: (model) => void (answeredBy = modelName(model) ?? answeredBy),
    });
    await write(call, { content: undefined, isFinal: true, answeredBy }, caller.signal);
    record.end("ok");
  } catch (thrown) {
    if (caller.signal.aborted) {
      record.end("cancelled");
    } else {
      const error = toErrorInfo(ownReason(limit.signals, options) ?? thrown);
      if (error.code === "internal") log.error({ err: coerceError(thrown) }, "unexpected error in a call");
      else {
        const { code, message, retryAfterMs } = error;
        log.info(
          { code, error: message, retryable: error.retryable, retry_after_ms: retryAfterMs },
          "call failed",
        );
      }
      call.write({ content: { $case: "error", value: error }, isFinal: true, answeredBy });
      record.end(error.code);
    }
  } finally {
    call.off("cancelled", cancelled); // also emitted when the stream of an ended call closes
    call.end();
  }
}

/** A provider's name for its model, cut; undefined if it is none: Azure's first chunk has an empty one. */
function modelName(model: unknown): string | undefined {
  if (typeof model !== "string" || model.trim() === "") return undefined;
  return model.slice(0, safeCut(model, MAX_MODEL_NAME)).toWellFormed();
}

/** A call's deadline in milliseconds since the epoch, and a signal for it if the call has none of its own. */
function limitTime(
  call: GenerateCall,
  timeoutMs: number,
): { readonly deadline: number; readonly signals: readonly AbortSignal[] } {
  const deadline = Number(call.getDeadline());
  if (Number.isFinite(deadline)) return { deadline, signals: [] };
  return { deadline: Date.now() + timeoutMs, signals: [AbortSignal.timeout(timeoutMs)] };
}

/** The reason why the gateway itself has ended a call; undefined if it has not. */
function ownReason(
  limits: readonly AbortSignal[],
  { stopping, callTimeoutMs }: HandleGenerateOptions,
): Error | undefined {
  if (stopping.aborted) {
    return retryable("overloaded", "the LLM gateway is stopping: call again", { estimateMs: STOPPING_MS });
  }
  if (!limits.some(({ aborted }) => aborted)) return undefined;
  const seconds = callTimeoutMs / 1_000;
  return retryable("timeout", `the call has no deadline, and the LLM gateway ended it after ${seconds} s`);
}

async function streamContent(
  call: GenerateCall,
  signal: AbortSignal,
  options: HandleGenerateOptions & Pick<ProviderCall, "deadline" | "answeredBy">,
): Promise<void> {
  const { provider, configured, record, deadline, answeredBy, log } = options;
  const { request } = call;
  if (request.llmConfig === undefined) throw terminal("invalid_request", "llm_config is missing");
  const config = providerConfig(request.llmConfig, configured);
  const adapted = options.adaptCall(request, config);
  for (const warning of [...differenceWarnings(request.llmConfig, configured), ...adapted.warnings]) {
    if (options.warnOnce(`${request.sessionId} ${config.name} ${warning.message}`)) log.warn(warning.message);
    await write(call, { content: { $case: "warning", value: warning }, isFinal: false }, signal);
  }
  using frames = new JoinedFrames(call, signal);
  let unreported = 0;
  const retried = ({ code }: RetryableError) => {
    if (!isUncharged(code)) unreported += 1;
  };
  const chunks = provider({ request: adapted.request, config, signal, deadline, log, retried, answeredBy });
  // A script says literally what its calls yield and how they fail.
  const isScripted = config.provider === "scripted" || config.backend === "scripted";
  const limits = { maxBytes: options.maxOutputBytes, detectsLoops: !isScripted };
  const limited = limitOutput(normaliseChunks(chunks), limits);
  // Also behind an address of the operator's own: that it refuses the model is known.
  const retirement = retirementOf({ type: config.provider, model: config.model });
  const target = { name: providerTarget(config), model: config.model, retirement };
  for await (const provided of isScripted ? limited : nameTarget(limited, target, options.now)) {
    const content =
      provided.$case === "toolCall"
        ? { ...provided, value: adapted.restore(provided.value) }
        : provided.$case === "usage" && unreported > 0
          ? { ...provided, value: { ...provided.value, unreportedTries: unreported } }
          : provided;
    if (content.$case === "usage") record.usage(content.value);
    await frames.add(content);
    record.firstChunk();
  }
  signal.throwIfAborted();
}

/** The length from which nothing more is joined, in code units: a source that never waits gets backpressure, too. */
const MAX_JOINED = 16 * 1024;

/**
 * Writes content to the caller, with backpressure. Deltas of one kind that come in one turn of the event loop, because the provider's
 * bytes came together, are one frame: most of the cost of a frame is that of a message of gRPC.
 */
class JoinedFrames implements Disposable {
  readonly #call: GenerateCall;
  readonly #signal: AbortSignal;
  /** The delta of this turn. */
  #delta: Extract<Content, { $case: "text" | "thinking" }> | undefined;
  #turnEnd: NodeJS.Immediate | undefined;

  constructor(call: GenerateCall, signal: AbortSignal) {
    this.#call = call;
    this.#signal = signal;
  }

  /** Resolves once there is room for more. Throws the signal's reason once it aborts. */
  async add(content: Content): Promise<void> {
    this.#signal.throwIfAborted();
    if (content.$case === "text" || content.$case === "thinking") {
      const { $case, value } = content;
      if (this.#delta?.$case !== $case) this.flush();
      const joined = (this.#delta?.value.content ?? "") + value.content;
      this.#delta = { $case, value: { content: joined } };
      if (joined.length >= MAX_JOINED) this.flush();
      else this.#turnEnd ??= setImmediate(() => this.flush());
    } else {
      this.flush();
      this.#call.write({ content, isFinal: false });
    }
    if (this.#call.writableNeedDrain) await once(this.#call, "drain", { signal: this.#signal });
  }

  /** Writes what is left of this turn: the reader of a failed call gets what came before. */
  flush(): void {
    clearImmediate(this.#turnEnd);
    const content = this.#delta;
    this.#turnEnd = undefined;
    this.#delta = undefined;
    if (content !== undefined && !this.#call.cancelled) this.#call.write({ content, isFinal: false });
  }

  [Symbol.dispose](): void {
    this.flush();
  }
}

/**
 * A warning for a call whose provider has another entry here than its caller knows. The native tools are the call's: an
 * agent or an alert may switch them.
 */
function differenceWarnings(
  { providerName, entryHash, nativeTools }: LLMConfig,
  configured: ConfiguredProviders,
): readonly WarningInfo[] {
  const entry = configured.get(providerName);
  if (entryHash === "" || entry === undefined || isSame(entry, nativeTools, entryHash)) return [];
  return [
    {
      code: "provider_differs",
      message: `provider ${providerName} differs in the LLM gateway from what the session was created with: address, credential and script are the gateway's, model and limits the session's`,
    },
  ];
}

function isSame(entry: HashedProvider, native_tools: Record<string, boolean>, hash: string): boolean {
  // The hash of the entry itself is known from earlier calls.
  const called = isDeepStrictEqual(entry.native_tools ?? {}, native_tools)
    ? entry
    : { ...entry, native_tools };
  return hashProvider(called) === hash;
}

async function write(call: GenerateCall, chunk: GenerateResponse, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (call.write(chunk)) return;
  await once(call, "drain", { signal });
}

/**
 * Makes any provider's chunks fit the contract: no text or thinking delta is empty or ends inside a surrogate pair.
 * Half a pair is held back and sent with the next delta of its kind, or as U+FFFD at the end. The total length in code
 * units does not change.
 */
async function* normaliseChunks(source: AsyncIterable<Content>): AsyncGenerator<Content> {
  const pending = { text: "", thinking: "" };
  for await (const content of source) {
    if (content.$case !== "text" && content.$case !== "thinking") {
      yield content;
      continue;
    }
    const delta = content.value.content;
    if (pending[content.$case] === "" && delta !== "" && delta.isWellFormed()) {
      yield content;
      continue;
    }
    const text = pending[content.$case] + delta;
    const cut = safeCut(text, text.length);
    pending[content.$case] = text.slice(cut);
    if (cut > 0) yield { $case: content.$case, value: { content: text.slice(0, cut).toWellFormed() } };
  }
  for (const kind of ["thinking", "text"] as const) {
    if (pending[kind] !== "") yield { $case: kind, value: { content: pending[kind].toWellFormed() } };
  }
}
