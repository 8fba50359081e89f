import type { GenerateContentParameters, GoogleGenAI } from "@google/genai";
import { RetryableError } from "#shared/errors.ts";
import type { Environment } from "#shared/environment.ts";
import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { guardStalls, type StallLimits } from "../guard-stalls.ts";
import { refusal, setback } from "../llm-error.ts";
import type { Content, Provider, ProviderCall } from "../provider.ts";
import { retryBeforeOutput, type RetryPolicy } from "../retry-before-output.ts";
import { apiKey } from "../credential.ts";
import { callIds } from "./call-ids.ts";
import { ChunkReader } from "./chunks-in.ts";
import { clientCache } from "./client.ts";
import { errorIn } from "./errors-in.ts";
import { readEvents, type StreamEvent } from "../event-stream.ts";
import { parseGeminiChunk } from "./gemini-chunk.ts";
import { messagesOut } from "./messages-out.ts";
import { openStream } from "./open-stream.ts";
import { thinkingConfig } from "./thinking-config.ts";
import { toolNameDecoder } from "../tool-names.ts";
import { toolsOut } from "./tools-out.ts";

export interface GoogleNativeOptions {
  /** Where credentials are looked up by the name a call gives. */
  readonly env: Environment;
  readonly stall: StallLimits;
  readonly retry: RetryPolicy;
  /** Opens the client for a call; without it, one of Gemini's own API with the key the call names. */
  readonly open?: OpenClient;
}

/** Who makes a call: the SDK's client, the secrets it uses, never to be repeated, and the variable that holds them. */
export interface OpenedClient {
  readonly client: GoogleGenAI;
  readonly secrets: readonly string[];
  readonly apiKeyEnv: string;
}

/** Throws TerminalError `credentials` or `invalid_request` where a call's settings name no usable client. */
export type OpenClient = (config: LLMConfig) => OpenedClient | Promise<OpenedClient>;

/** A few times the largest answer, so that only garbage is ever cut off. */
const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

/** Gemini through Google's SDK. The provider it returns throws as `Provider` says. */
export function googleNative(options: GoogleNativeOptions): Provider {
  const open = options.open ?? openWithKey(options.env);
  return (call) => generate(call, options, open);
}

function openWithKey(env: Environment): OpenClient {
  const clients = clientCache();
  return (config) => {
    if (config.apiKeyEnv === "") {
      throw refusal(
        "credentials",
        "llm_config.api_key_env is empty: it must name the variable that holds the key",
      );
    }
    const key = apiKey(config.apiKeyEnv, env);
    return { client: clients(key, config.baseUrl), secrets: [key], apiKeyEnv: config.apiKeyEnv };
  };
}

async function* generate(
  call: ProviderCall,
  options: GoogleNativeOptions,
  open: OpenClient,
): AsyncGenerator<Content> {
  const { config, signal, deadline, log } = call;
  const opened = await open(config);
  const parameters = requestParameters(call);
  yield* retryBeforeOutput(() => attempt(call, options.stall, opened, parameters), {
    policy: options.retry,
    deadline,
    signal,
    log,
  });
}

function requestParameters({ request, config }: ProviderCall): GenerateContentParameters {
  if (config.model === "") throw refusal("invalid_request", "llm_config.model is empty: name a model");
  const { systemInstruction, contents } = messagesOut(request.messages, config.model);
  const tools = toolsOut(request.tools, config.nativeTools);
  const thinking = thinkingConfig(config.model);
  return {
    model: config.model,
    contents,
    config: {
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...(tools.length === 0 ? {} : { tools }),
      ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
      // Calling functions is the executor's to decide.
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  };
}

async function* attempt(
  call: ProviderCall,
  stall: StallLimits,
  opened: OpenedClient,
  parameters: GenerateContentParameters,
): AsyncGenerator<Content> {
  const request = new AbortController();
  const abort = () => request.abort();
  call.signal.addEventListener("abort", abort);
  const reader = new ChunkReader({
    decodeToolName: toolNameDecoder(call.request.tools.map(({ name }) => name)),
    callId: callIds(call.request),
  });
  let output = false;
  let ended = false;
  try {
    call.signal.throwIfAborted();
    let continuationToken: string | undefined;
    do {
      const config = {
        ...parameters.config,
        ...(continuationToken === undefined ? {} : { continuationToken }),
      };
      const events = streamed(opened.client, { ...parameters, config }, request.signal);
      for await (const event of guardStalls(events, stall)) {
        for (const content of reader.read(parseGeminiChunk(event.data))) {
          output = true;
          yield content;
        }
      }
      // Gemini may give a long answer in several responses, each to be asked for.
      continuationToken = reader.takeContinuation();
    } while (continuationToken !== undefined);
    ended = true;
  } catch (thrown) {
    call.signal.throwIfAborted();
    const error = errorIn(thrown, opened);
    if (!output || !(error instanceof RetryableError)) throw error;
    throw setback("partial_stream_error", `the answer broke off: ${error.message}`, { cause: error });
  } finally {
    call.signal.removeEventListener("abort", abort);
    // Whichever way this ends early, the socket closes; after a whole answer it serves the next call.
    if (!ended) request.abort();
  }
  yield* reader.finish();
}

async function* streamed(
  client: GoogleGenAI,
  parameters: GenerateContentParameters,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  yield* readEvents(await openStream(client, parameters, signal), MAX_EVENT_LENGTH);
}
