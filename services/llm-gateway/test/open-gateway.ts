import { Metadata, credentials, type CallOptions } from "@grpc/grpc-js";
import { Registry } from "prom-client";
import {
  GenerateRequest,
  LLMConfig,
  LLMServiceClient,
  type ConversationMessage,
  type ErrorInfo,
  type GenerateResponse,
} from "#shared/generated/llm/v1/llm.ts";
import { createLogger } from "#shared/service/logger.ts";
import { gatewayMetrics } from "../gateway-metrics.ts";
import { serveGenerate } from "../grpc/serve-generate.ts";
import { loadProviders } from "../providers/load-providers.ts";
import { selectProvider } from "../providers/select-provider.ts";

export const TEST_KEY_ENV = "TEST_GEMINI_KEY";
export const TEST_KEY = "key-that-must-not-leak";

interface GatewayOverrides {
  readonly configDir?: string;
  readonly env?: Record<string, string>;
  readonly stallMs?: number;
  /** By default stallMs. */
  readonly firstChunkMs?: number;
  readonly maxOutputBytes?: number;
  readonly maxMessageBytes?: number;
  readonly stopGraceMs?: number;
}

/** Everything that one call sent. */
export interface Answer {
  readonly chunks: readonly GenerateResponse[];
  readonly text: string;
  readonly thinking: string;
  readonly error: ErrorInfo | undefined;
}

/** Starts the gateway in this process, and a client that calls it over a real gRPC socket. */
export async function openGateway(overrides: GatewayOverrides = {}) {
  const metrics = new Registry();
  const stallMs = overrides.stallMs ?? 30_000;
  const providers = loadProviders({
    credentials: overrides.env ?? { [TEST_KEY_ENV]: TEST_KEY },
    configDir: overrides.configDir ?? "deploy/config",
    stall: { firstChunkMs: overrides.firstChunkMs ?? stallMs, betweenChunksMs: stallMs },
    retry: { tries: 3, baseDelayMs: 1, maxDelayMs: 30_000 },
  });
  const server = await serveGenerate({
    host: "127.0.0.1",
    port: 0,
    maxMessageBytes: overrides.maxMessageBytes ?? 16 * 1024 * 1024,
    maxOutputBytes: overrides.maxOutputBytes ?? 1024 * 1024,
    stopGraceMs: overrides.stopGraceMs ?? 0,
    provider: selectProvider(providers),
    openRecord: gatewayMetrics(metrics),
    log: await createLogger({ service: "llm-gateway", level: "silent", format: "json" }),
  });
  const limits = { "grpc.max_receive_message_length": 16 * 1024 * 1024 };
  const client = new LLMServiceClient(`127.0.0.1:${server.port}`, credentials.createInsecure(), limits);
  return {
    client,
    metrics,
    server,
    ask: (request: GenerateRequest, options: CallOptions = {}) =>
      collect(client.generate(request, waitForReady(), options)),
    stream: (request: GenerateRequest) => responses(client.generate(request, waitForReady())),
    [Symbol.asyncDispose]: async () => {
      client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** On a busy machine the connection may not be ready immediately. */
function waitForReady(): Metadata {
  return new Metadata({ waitForReady: true });
}

/** Reads a call to its end; rejects with a gRPC error. */
export async function collect(stream: AsyncIterable<unknown>): Promise<Answer> {
  const chunks: GenerateResponse[] = [];
  for await (const chunk of responses(stream)) chunks.push(chunk);
  return summary(chunks);
}

async function* responses(stream: AsyncIterable<unknown>): AsyncGenerator<GenerateResponse> {
  for await (const chunk of stream) yield asResponse(chunk);
}

/** Checks the type of a streamed response, which grpc-js declares as any. */
function asResponse(value: unknown): GenerateResponse {
  if (typeof value === "object" && value !== null && "isFinal" in value && "content" in value) {
    return Object.assign({ content: undefined, isFinal: false }, value);
  }
  throw new Error("not a GenerateResponse");
}

function summary(chunks: readonly GenerateResponse[]): Answer {
  let text = "";
  let thinking = "";
  let error: ErrorInfo | undefined;
  for (const { content } of chunks) {
    if (content?.$case === "text") text += content.value.content;
    if (content?.$case === "thinking") thinking += content.value.content;
    if (content?.$case === "error") error = content.value;
  }
  return { chunks, text, thinking, error };
}

/** A message whose other fields are empty unless `rest` sets them. */
export function message(
  role: string,
  content: string,
  rest: Partial<ConversationMessage> = {},
): ConversationMessage {
  return {
    role,
    content,
    toolCalls: [],
    toolCallId: "",
    toolName: "",
    providerState: Buffer.alloc(0),
    ...rest,
  };
}

/** A request for Gemini at `baseUrl`; `request` and `config` override any part of it. */
export function geminiRequest(
  baseUrl: string,
  request: Partial<GenerateRequest> = {},
  config: Partial<LLMConfig> = {},
): GenerateRequest {
  const gemini = { provider: "google", backend: "google-native", model: "gemini-3-pro" };
  return modelRequest({ ...gemini, baseUrl, ...config }, request);
}

/** A request with one question and the test key, for the provider in `config`. */
export function modelRequest(
  config: Partial<LLMConfig>,
  request: Partial<GenerateRequest> = {},
): GenerateRequest {
  return {
    ...GenerateRequest.fromJSON({}),
    messages: [message("user", "What is wrong with pod web-1?")],
    llmConfig: { ...LLMConfig.fromJSON({}), apiKeyEnv: TEST_KEY_ENV, ...config },
    ...request,
  };
}

/** A request for the script at this path. */
export function scriptedRequest(script: string, request: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    ...GenerateRequest.fromJSON({}),
    messages: [message("user", "go")],
    llmConfig: { ...LLMConfig.fromJSON({}), provider: "scripted", backend: "scripted", script },
    ...request,
  };
}
