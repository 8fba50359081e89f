import { EVENT_STREAM, encodeException } from "../../../test/support/event-stream.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { AWS_KEYS, BEDROCK_ENV, BEDROCK_MODEL } from "./bedrock-wire.ts";
import { TEST_KEY, TEST_KEY_ENV, geminiRequest, type TestConfig } from "./open-gateway.ts";
import { responsesFormat } from "./responses-format.ts";
import { SERVICE_ACCOUNT } from "./service-account.ts";
import { bedrockFormat, chatFormat, claudeFormat, event, geminiFormat, type Format } from "./wire-formats.ts";
import { chatRequest, usageOf } from "./wire.ts";

/** A failure as a provider words it. `type` is OpenAI's or Anthropic's kind of error. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly type: string;
}

/** One API, as a provider type speaks it: how to call it, and what its answers and errors look like on the wire. */
export interface Adapter {
  readonly type: string;
  /** The API whose code it shares, if another row of the table has it too. */
  readonly variantOf?: string;
  readonly request: (url: string, request?: Partial<GenerateRequest>, config?: TestConfig) => GenerateRequest;
  readonly format: Format;
  readonly contentType: string;
  /** What it sends while it has nothing to say. */
  readonly sign: string | Buffer;
  readonly errorBody: (failure: Failure) => object;
  /** The event that reports a failure inside an answer. */
  readonly failure: (message: string, kind: "overloaded" | "failed") => string | Buffer;
  /** Where a request has the limit of the answer. */
  readonly limit: readonly string[];
  /** The usage that the format's answers report, as the gateway passes it on. */
  readonly usage: object;
  /** The usage that is known once an answer has begun; none if it comes at the end. */
  readonly earlyUsage?: object;
  /** The model that the format's answers name. */
  readonly answeredBy: string;
  /** What an error about the credential names. */
  readonly credential: string;
}

/** The variables with the credentials of all adapters. None of the values may appear in an error. */
export const ADAPTER_ENV = {
  ...BEDROCK_ENV,
  [TEST_KEY_ENV]: TEST_KEY,
  VERTEX_CREDENTIALS: SERVICE_ACCOUNT,
};

const USAGE = usageOf(100, 20, 10, { cachedInputTokens: 40 });
const WRITTEN = { cachedInputTokens: 40, cacheWriteTokens: 30 };
const SSE = "text/event-stream";
const VERTEX = {
  apiKeyEnv: "",
  credentialsEnv: "VERTEX_CREDENTIALS",
  project: "p1",
  location: "us-east5",
};

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const asOpenai = ({ message, type }: Pick<Failure, "message" | "type">) => ({
  error: { message, type, param: null, code: type },
});
const openaiType = (kind: string) => (kind === "overloaded" ? "overloaded_error" : "server_error");

const gemini: Adapter = {
  type: "google",
  request: geminiRequest,
  format: geminiFormat,
  contentType: SSE,
  sign: ":\n\n",
  errorBody: ({ status, message }) => ({ error: { code: status, message, status: "UNKNOWN" } }),
  failure: (message, kind) =>
    data({ error: { code: kind === "overloaded" ? 503 : 500, message, status: "UNAVAILABLE" } }),
  limit: ["generationConfig", "maxOutputTokens"],
  usage: USAGE,
  earlyUsage: USAGE,
  answeredBy: "gemini-3-pro",
  credential: TEST_KEY_ENV,
};

const chat: Adapter = {
  type: "openai",
  request: (url, request, config) => chatRequest("openai", `${url}/v1`, request, config),
  format: chatFormat(),
  contentType: SSE,
  sign: ": wait\n\n",
  errorBody: asOpenai,
  failure: (message, kind) => data(asOpenai({ message, type: openaiType(kind) })),
  limit: ["max_tokens"],
  usage: USAGE,
  answeredBy: "gpt-4o",
  credential: TEST_KEY_ENV,
};

/** A server of chat completions of another type. */
const chatServer = (type: string, rest: Partial<Adapter> = {}): Adapter => ({
  ...chat,
  type,
  variantOf: "chat completions",
  request: (url, request, config) => chatRequest(type, `${url}/v1`, request, config),
  ...rest,
});

const responses: Adapter = {
  ...chat,
  request: (url, request, config) => chatRequest("openai", `${url}/v1/responses`, request, config),
  format: responsesFormat(),
  sign: String(event("response.in_progress", { response: { id: "resp_1" } }).raw),
  failure: (message, kind) =>
    event("response.failed", {
      response: { id: "resp_1", status: "failed", error: { code: openaiType(kind), message } },
    }).raw,
  limit: ["max_output_tokens"],
  answeredBy: "gpt-5",
};

const claude: Adapter = {
  ...chat,
  type: "anthropic",
  request: (url, request, config) => chatRequest("anthropic", url, request, config),
  format: claudeFormat,
  sign: String(event("ping", {}).raw),
  errorBody: ({ message, type }) => ({ type: "error", error: { type, message }, request_id: "req_1" }),
  failure: (message, kind) =>
    event("error", { error: { type: kind === "overloaded" ? "overloaded_error" : "api_error", message } })
      .raw,
  usage: usageOf(100, 20, 10, WRITTEN),
  earlyUsage: usageOf(100, 1, 0, WRITTEN),
  answeredBy: "claude",
};

const bedrock: Adapter = {
  type: "bedrock",
  request: (url, request, config) =>
    chatRequest("bedrock", url, request, {
      model: BEDROCK_MODEL,
      apiKeyEnv: "",
      settings: AWS_KEYS,
      ...config,
    }),
  format: bedrockFormat,
  contentType: EVENT_STREAM,
  sign: Buffer.alloc(0),
  errorBody: ({ message }) => ({ message }),
  failure: (message, kind) =>
    encodeException(
      kind === "overloaded" ? "serviceUnavailableException" : "internalServerException",
      message,
    ),
  limit: ["inferenceConfig", "maxTokens"],
  // It does not say how much of the output is thinking.
  usage: usageOf(100, 30, 0, WRITTEN),
  answeredBy: "routed-model",
  credential: "AWS_ID, AWS_SECRET",
};

const AZURE = { apiKeyEnv: TEST_KEY_ENV };
const REASONING = chatFormat((text) => ({ reasoning: text }));

/** By the name that test titles and failures use. */
export const ADAPTERS: Readonly<Record<string, Adapter>> = {
  Gemini: gemini,
  "Gemini on Vertex AI": {
    ...gemini,
    type: "vertexai",
    variantOf: "Gemini",
    request: (url, request, config) =>
      chatRequest("vertexai", url, request, { model: "gemini-2.5-pro", ...VERTEX, ...config }),
    credential: "VERTEX_CREDENTIALS",
  },
  "chat completions": chat,
  // An empty delta shows, too, that the provider is alive.
  xAI: chatServer("xai", { sign: data({ choices: [{ index: 0, delta: { content: "" } }] }) }),
  Mistral: chatServer("mistral", {
    format: chatFormat((text) => ({
      content: [{ type: "thinking", thinking: [{ type: "text", text }] }],
    })),
    // Mistral's error bodies have the error's fields at the top.
    errorBody: ({ message, type }) => ({ object: "error", message, type, param: null, code: type }),
  }),
  Groq: chatServer("groq", { format: REASONING }),
  OpenRouter: chatServer("openrouter", { format: REASONING, sign: ": OPENROUTER PROCESSING\n\n" }),
  DeepSeek: chatServer("deepseek", { sign: "\n\n: keep-alive\n\n\n" }),
  "Azure's chat completions": chatServer("azure", {
    request: (url, request, config) => chatRequest("azure", url, request, { ...AZURE, ...config }),
  }),
  "the Responses API": responses,
  "Azure's Responses API": {
    ...responses,
    type: "azure",
    variantOf: "the Responses API",
    request: (url, request, config) =>
      chatRequest("azure", url, request, { model: "gpt-5", ...AZURE, ...config }),
  },
  "Anthropic's messages": claude,
  "Claude on Vertex AI": {
    ...claude,
    type: "vertexai",
    variantOf: "Anthropic's messages",
    request: (url, request, config) =>
      chatRequest("vertexai", url, request, { model: "claude-sonnet-4-5@20250929", ...VERTEX, ...config }),
    credential: "VERTEX_CREDENTIALS",
  },
  Bedrock: bedrock,
};

/** True for an API that gives each error a type. */
export function givesErrorTypes({ format }: Adapter): boolean {
  return format !== geminiFormat && format !== bedrockFormat;
}
