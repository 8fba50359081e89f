import type { GenerateContentParameters, GoogleGenAI } from "@google/genai";
import { RetryableError } from "#shared/errors.ts";
import type { Environment } from "#shared/environment.ts";
import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { guardStalls, type StallLimits } from "../guard-stalls.ts";
import { retryable, terminal } from "../../errors/llm-error.ts";
import type { Content, Provider, ProviderCall } from "../provider.ts";
import { retryBeforeOutput, type RetryPolicy } from "../retry-before-output.ts";
import { apiKey } from "../credential.ts";
import { callIdAssigner } from "./response/assign-call-ids.ts";
import { GeminiChunkReader } from "./response/gemini-chunk-reader.ts";
import { clientCache } from "./gemini-client.ts";
import { translateGeminiError } from "./response/translate-gemini-error.ts";
import { parseSse, type SseEvent } from "../../sse/parse-sse.ts";
import { parseGeminiChunk } from "./response/gemini-chunk.ts";
import { geminiMessages } from "./request/gemini-messages.ts";
import { sendGeminiRequest } from "./request/send-gemini-request.ts";
import { thinkingConfig } from "./request/thinking-config.ts";
import { toolNameDecoder } from "../../conversation/tool-names.ts";
import { geminiTools } from "./request/gemini-tools.ts";

export interface GoogleNativeOptions {
  /** Where credentials are looked up by the name a call gives. */
  readonly env: Environment;
  readonly stall: StallLimits;
  readonly retry: RetryPolicy;
  /** Opens the client for a call; without it, one of Gemini's own API with the key the call names. */
  readonly open?: OpenGeminiClient;
}

/** Who makes a call: the SDK's client, the secrets it uses, never to be repeated, and the variable that holds them. */
export interface OpenedGeminiClient {
  readonly client: GoogleGenAI;
  readonly secrets: readonly string[];
  readonly apiKeyEnv: string;
}

/** Throws TerminalError `credentials` or `invalid_request` where a call's settings name no usable client. */
export type OpenGeminiClient = (config: LLMConfig) => OpenedGeminiClient | Promise<OpenedGeminiClient>;

/** A few times the largest answer, so that only garbage is ever cut off. */
const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

/** Gemini through Google's SDK. The provider it returns throws as `Provider` says. */
export function googleNativeProvider(options: GoogleNativeOptions): Provider {
  const open = options.open ?? openWithKey(options.env);
  return (call) => generate(call, options, open);
}

function openWithKey(env: Environment): OpenGeminiClient {
  const clients = clientCache();
  return (config) => {
    if (config.apiKeyEnv === "") {
      throw terminal(
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
  open: OpenGeminiClient,
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
  if (config.model === "") throw terminal("invalid_request", "llm_config.model is empty: name a model");
  const { systemInstruction, contents } = geminiMessages(request.messages, config.model);
  const tools = geminiTools(request.tools, config.nativeTools);
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
  opened: OpenedGeminiClient,
  parameters: GenerateContentParameters,
): AsyncGenerator<Content> {
  const request = new AbortController();
  const abort = () => request.abort();
  call.signal.addEventListener("abort", abort);
  const reader = new GeminiChunkReader({
    decodeToolName: toolNameDecoder(call.request.tools.map(({ name }) => name)),
    callId: callIdAssigner(call.request),
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
    const error = translateGeminiError(thrown, opened);
    if (!output || !(error instanceof RetryableError)) throw error;
    throw retryable("partial_stream_error", `the answer broke off: ${error.message}`, { cause: error });
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
): AsyncGenerator<SseEvent> {
  yield* parseSse(await sendGeminiRequest(client, parameters, signal), MAX_EVENT_LENGTH);
}
