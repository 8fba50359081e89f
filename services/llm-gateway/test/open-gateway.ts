import {
  InterceptingCall,
  Metadata,
  credentials,
  type CallOptions,
  type ClientOptions,
  type Interceptor,
} from "@grpc/grpc-js";
import { Registry } from "prom-client";
import type { LlmProvider } from "#shared/agent-config/agent-config.ts";
import type { EmbeddingSettings } from "#shared/agent-config/embedding-of.ts";
import { TOKEN_METADATA } from "#shared/service/gateway-token.ts";
import { HealthClient } from "#shared/generated/grpc/health/v1/health.ts";
import { PROVIDER_TYPES } from "#shared/contracts/resolved-chain.ts";
import {
  GenerateRequest,
  LLMConfig,
  LLMServiceClient,
  type ConversationMessage,
  type ErrorInfo,
  type GenerateResponse,
} from "#shared/generated/llm/v1/llm.ts";
import { createLogger, type Logger } from "#shared/service/logger.ts";
import { TEST_GATEWAY_TOKEN } from "../../../test/support/gateway-token.ts";
import { gatewayMetrics } from "../gateway-metrics.ts";
import type { CallLimits } from "../grpc/call-budget.ts";
import { serveGenerate } from "../grpc/serve-generate.ts";
import { openRecorder, type RecorderSettings } from "../recordings/open-recorder.ts";
import { recordExchanges } from "../recordings/recording-scope.ts";
import { loadProviders } from "../providers/load-providers.ts";
import type { StallLimits } from "../providers/guard-stalls.ts";
import type { ProviderConfig } from "../providers/provider-config.ts";
import { selectProvider } from "../providers/select-provider.ts";

export const TEST_KEY_ENV = "TEST_GEMINI_KEY";
export const TEST_KEY = "key-that-must-not-leak";

/** The settings of a provider and of a call to it. */
export type TestConfig = Partial<Omit<ProviderConfig, "name">>;

/** What every gateway of the tests has configured: the providers of all requests that were made with these functions. */
export const TEST_PROVIDERS = new Map<string, LlmProvider>();

/** The names of those providers by their settings. */
const NAMES = new Map<string, string>();

interface GatewayOverrides {
  readonly embedding?: EmbeddingSettings;
  readonly configDir?: string;
  /** Where and how exchanges are recorded; the values of `env` are the secrets. */
  readonly recordings?: RecorderSettings & { readonly log?: Logger };
  readonly env?: Record<string, string>;
  readonly stallMs?: number;
  /** By default stallMs. */
  readonly firstChunkMs?: number;
  readonly maxOutputBytes?: number;
  readonly maxMessageBytes?: number;
  readonly stopGraceMs?: number;
  readonly callTimeoutMs?: number;
  readonly tokens?: readonly string[];
  readonly limits?: Partial<CallLimits>;
  readonly now?: () => Date;
}

/** Everything that one call sent. */
export interface Answer {
  readonly chunks: readonly GenerateResponse[];
  readonly text: string;
  readonly thinking: string;
  readonly error: ErrorInfo | undefined;
}

/** The models of the tests answer then; each retires some day. */
const BEFORE_RETIREMENTS = new Date("2026-06-01T00:00:00Z");

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
  const log = await createLogger({ service: "llm-gateway", level: "silent", format: "json" });
  const env = overrides.env ?? { [TEST_KEY_ENV]: TEST_KEY };
  const recorder =
    overrides.recordings && openRecorder({ log, ...overrides.recordings, secrets: Object.values(env) });
  const provider = selectProvider(providers);
  const server = await serveGenerate({
    host: "127.0.0.1",
    port: 0,
    maxMessageBytes: overrides.maxMessageBytes ?? 16 * 1024 * 1024,
    maxOutputBytes: overrides.maxOutputBytes ?? 1024 * 1024,
    stopGraceMs: overrides.stopGraceMs ?? 0,
    callTimeoutMs: overrides.callTimeoutMs ?? 600_000,
    tokens: overrides.tokens ?? [TEST_GATEWAY_TOKEN],
    limits: { calls: 2_000, bytes: 64 * 1024 * 1024, ...overrides.limits },
    configured: TEST_PROVIDERS,
    embedding: {
      settings: overrides.embedding,
      credentials: env,
      retry: { tries: 3, baseDelayMs: 1, maxDelayMs: 30_000 },
    },
    provider: recorder === undefined ? provider : recordExchanges(provider, recorder.begin),
    metrics: gatewayMetrics(metrics),
    now: overrides.now ?? (() => BEFORE_RETIREMENTS),
    log,
  });
  const client = openClient(`127.0.0.1:${server.port}`, {
    "grpc.max_receive_message_length": 16 * 1024 * 1024,
  });
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
      await recorder?.[Symbol.asyncDispose]();
    },
  };
}

/** A client whose calls carry `token`; none if it is empty. */
export function openClient(
  target: string,
  options: ClientOptions = {},
  token = TEST_GATEWAY_TOKEN,
): LLMServiceClient {
  return new LLMServiceClient(target, credentials.createInsecure(), { ...options, ...withToken(token) });
}

/** A client of gRPC's health service whose calls carry the token. */
export function openHealthClient(target: string, options: ClientOptions = {}): HealthClient {
  return new HealthClient(target, credentials.createInsecure(), {
    ...options,
    ...withToken(TEST_GATEWAY_TOKEN),
  });
}

function withToken(token: string): Pick<ClientOptions, "interceptors"> {
  const sendToken: Interceptor = (call, next) =>
    new InterceptingCall(next(call), {
      start: (metadata, listener, proceed) => {
        if (token !== "") metadata.set(TOKEN_METADATA, `Bearer ${token}`);
        proceed(metadata, listener);
      },
    });
  return { interceptors: [sendToken] };
}

/** For calls right after the start, when the connection may not be ready. */
export function waitForReady(): Metadata {
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
    ...rest,
  };
}

/** A request for Gemini at `baseUrl`; `request` and `config` override any part of it. */
export function geminiRequest(
  baseUrl: string,
  request: Partial<GenerateRequest> = {},
  config: TestConfig = {},
): GenerateRequest {
  const gemini = { provider: "google", backend: "google-native", model: "gemini-3-pro" };
  return modelRequest({ ...gemini, baseUrl, ...config }, request);
}

/** A request with one question and the test key, for the provider in `config`. */
export function modelRequest(config: TestConfig, request: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    ...GenerateRequest.fromJSON({}),
    messages: [message("user", "What is wrong with pod web-1?")],
    llmConfig: callConfig({ apiKeyEnv: TEST_KEY_ENV, ...config }),
    ...request,
  };
}

/** A request for the script at this path. */
export function scriptedRequest(script: string, request: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    ...GenerateRequest.fromJSON({}),
    messages: [message("user", "go")],
    llmConfig: callConfig({ provider: "scripted", backend: "scripted", script }),
    ...request,
  };
}

/** Configures a provider in all gateways of the tests; returns what a call to it says. Equal settings have equal names. */
function callConfig(config: TestConfig): LLMConfig {
  const { provider = "", model = "", backend = "", maxToolResultTokens = 8_000, nativeTools = {} } = config;
  const type = PROVIDER_TYPES.find((known) => known === provider);
  const settings = {
    type,
    model: model === "" ? "any" : model,
    max_tool_result_tokens: maxToolResultTokens,
    ...textSetting("api_key_env", config.apiKeyEnv),
    ...textSetting("credentials_env", config.credentialsEnv),
    ...textSetting("base_url", config.baseUrl),
    ...textSetting("project", config.project),
    ...textSetting("location", config.location),
    ...textSetting("script", config.script),
    ...(config.stall === undefined ? {} : { timeouts: timeoutsEntry(config.stall) }),
    ...config.settings,
  };
  const key = JSON.stringify(settings);
  const name = NAMES.get(key) ?? `provider-${NAMES.size + 1}`;
  NAMES.set(key, name);
  if (type !== undefined) TEST_PROVIDERS.set(name, { ...settings, type });
  return {
    ...LLMConfig.fromJSON({}),
    providerName: name,
    providerType: provider,
    model,
    backend,
    maxToolResultTokens,
    nativeTools: { ...nativeTools },
    maxOutputTokens: config.maxOutputTokens ?? 0,
  };
}

/** The notation of llm-providers.yaml. */
function timeoutsEntry({ firstChunkMs, betweenChunksMs }: StallLimits): NonNullable<LlmProvider["timeouts"]> {
  return { call: "1h", first_chunk: `${firstChunkMs}ms`, stall: `${betweenChunksMs}ms` };
}

function textSetting<K extends string>(key: K, value = ""): { readonly [P in K]?: string } {
  const setting: { [P in K]?: string } = {};
  if (value !== "") setting[key] = value;
  return setting;
}
