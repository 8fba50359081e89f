import { once } from "node:events";
import { Metadata, type ServerWritableStream } from "@grpc/grpc-js";
import { CancelledError, coerceError } from "#shared/errors.ts";
import type { GenerateRequest, GenerateResponse } from "#shared/generated/llm/v1/llm.ts";
import type { Logger } from "#shared/service/logger.ts";
import { retryable, terminal } from "../errors/llm-error.ts";
import type { CallRecord } from "../gateway-metrics.ts";
import type { Provider } from "../providers/provider.ts";
import { limitOutput } from "./limit-output.ts";
import { normaliseChunks } from "./normalise-chunks.ts";
import { toErrorInfo } from "./to-error-info.ts";

type GenerateCall = ServerWritableStream<GenerateRequest, GenerateResponse>;

/** Another gateway takes the next call at once; a single one is restarted in about this time. */
const STOPPING_MS = 1_000;

interface HandleGenerateOptions {
  readonly provider: Provider;
  readonly maxOutputBytes: number;
  /** Aborts with CancelledError `shutdown` when the stop grace is over. */
  readonly stopping: AbortSignal;
  readonly record: CallRecord;
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
  try {
    await streamContent(call, AbortSignal.any([caller.signal, options.stopping]), options);
    await write(call, { content: undefined, isFinal: true }, caller.signal);
    record.end("ok");
  } catch (thrown) {
    if (caller.signal.aborted) {
      record.end("cancelled");
    } else {
      const error = toErrorInfo(
        options.stopping.aborted
          ? retryable("overloaded", "the LLM gateway is stopping: call again", { estimateMs: STOPPING_MS })
          : thrown,
      );
      if (error.code === "internal") log.error({ err: coerceError(thrown) }, "unexpected error in a call");
      else {
        const { code, message, retryAfterMs } = error;
        log.info(
          { code, error: message, retryable: error.retryable, retry_after_ms: retryAfterMs },
          "call failed",
        );
      }
      call.write({ content: { $case: "error", value: error }, isFinal: true });
      record.end(error.code);
    }
  } finally {
    call.off("cancelled", cancelled); // also emitted when the stream of an ended call closes
    call.end();
  }
}

async function streamContent(
  call: GenerateCall,
  signal: AbortSignal,
  options: HandleGenerateOptions,
): Promise<void> {
  const { provider, record, log } = options;
  const { llmConfig } = call.request;
  if (llmConfig === undefined) throw terminal("invalid_request", "llm_config is missing");
  const deadline = Number(call.getDeadline());
  const chunks = provider({ request: call.request, config: llmConfig, signal, deadline, log });
  for await (const content of limitOutput(normaliseChunks(chunks), options.maxOutputBytes)) {
    if (content.$case === "usage") record.usage(content.value);
    await write(call, { content, isFinal: false }, signal);
    record.firstChunk();
  }
  signal.throwIfAborted();
}

async function write(call: GenerateCall, chunk: GenerateResponse, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (call.write(chunk)) return;
  await once(call, "drain", { signal });
}
