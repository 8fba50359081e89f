import type { Environment } from "#shared/service/environment.ts";
import { RetryableError } from "#shared/errors.ts";
import { toolNameDecoder } from "../../conversation/tool-names.ts";
import { brokenOff } from "../../errors/broken-off.ts";
import { MAX_EVENT_LENGTH, parseSse } from "../../sse/parse-sse.ts";
import { readWrittenCalls } from "../../tool-calls/read-written-calls.ts";
import { guardStalls, type StallLimits } from "../guard-stalls.ts";
import { iterateLater } from "../iterate-later.ts";
import type { Content, Provider, ProviderCall } from "../provider.ts";
import { retryBeforeOutput, type RetryPolicy } from "../retry-before-output.ts";
import { openWithApiKey, type OpenedGeminiClient, type OpenGeminiClient } from "./gemini-client.ts";
import { buildGeminiRequest, type GeminiRequest } from "./request/build-gemini-request.ts";
import { sendGeminiRequest } from "./request/send-gemini-request.ts";
import { callIdAssigner } from "./response/assign-call-ids.ts";
import { GeminiChunkReader } from "./response/gemini-chunk-reader.ts";
import { parseGeminiChunk } from "./response/gemini-chunk.ts";
import { translateGeminiError } from "./response/translate-gemini-error.ts";

interface GoogleNativeOptions {
  /** Holds the API keys that calls name. */
  readonly env: Environment;
  readonly stall: StallLimits;
  readonly retry: RetryPolicy;
  /** Opens the client for a call; by default openWithApiKey. */
  readonly open?: OpenGeminiClient;
}

/** Gemini through Google's SDK; on Vertex AI if `open` opens such clients. */
export function googleNativeProvider(options: GoogleNativeOptions): Provider {
  const open = options.open ?? openWithApiKey(options.env);
  return (call) => iterateLater(() => generate(call, options, open));
}

async function generate(
  call: ProviderCall,
  options: GoogleNativeOptions,
  open: OpenGeminiClient,
): Promise<AsyncIterable<Content>> {
  const { config, signal, deadline, log } = call;
  const opened = await open(config);
  const request = buildGeminiRequest(call);
  const stall = config.stall ?? options.stall;
  const attempt = () => readWrittenCalls(tryOnce(call, stall, opened, request), call.request);
  return retryBeforeOutput(attempt, {
    policy: options.retry,
    deadline,
    signal,
    log,
    retried: call.retried,
  });
}

async function* tryOnce(
  call: ProviderCall,
  stall: StallLimits,
  opened: OpenedGeminiClient,
  request: GeminiRequest,
): AsyncGenerator<Content> {
  const sending = new AbortController();
  const abort = () => sending.abort();
  call.signal.addEventListener("abort", abort);
  const reader = new GeminiChunkReader({
    decodeToolName: toolNameDecoder(call.request.tools.map(({ name }) => name)),
    callId: callIdAssigner(call.request),
  });
  let output = false;
  let ended = false;
  let heardAt = 0;
  const heard = () => void (heardAt = performance.now());
  try {
    call.signal.throwIfAborted();
    let continuationToken: string | undefined;
    do {
      const next = { ...request, ...(continuationToken === undefined ? {} : { continuationToken }) };
      const send = () => sendGeminiRequest(opened, next, sending.signal);
      const events = parseSse(send, MAX_EVENT_LENGTH, heard);
      for await (const event of guardStalls(events, stall, () => heardAt)) {
        const chunk = parseGeminiChunk(event.data);
        call.answeredBy(chunk.modelVersion);
        for (const content of reader.read(chunk)) {
          output = true;
          yield content;
        }
      }
      // Gemini may split a long answer into several responses, each with a request.
      continuationToken = reader.takeContinuation();
    } while (continuationToken !== undefined);
    ended = true;
  } catch (thrown) {
    call.signal.throwIfAborted();
    const error = translateGeminiError(thrown, opened);
    // What was charged of an answer that broke off; without output the call may be tried again.
    if (output) yield* reader.usage();
    if (!output || !(error instanceof RetryableError)) throw error;
    throw brokenOff(error);
  } finally {
    call.signal.removeEventListener("abort", abort);
    // Close the socket on every early exit; after a complete answer it is reused for the next call.
    if (!ended) sending.abort();
  }
  yield* reader.finish();
}
