import { TEST_KEY_ENV } from "./open-gateway.ts";

/** An error response and what the gateway makes of it. */
export interface Refusal {
  readonly server: string;
  readonly status: number;
  readonly body: object | string;
  readonly code: string;
  /** What the message must say. */
  readonly says: string;
}

const TOO_LONG = "context_too_long";
const BASE_URL = "check base_url";

/** Error bodies in the forms in which the servers send them. */
export const REFUSALS: readonly Refusal[] = [
  {
    server: "xAI's chat",
    status: 400,
    body: { code: "Client specified an invalid argument", error: "Incorrect API key provided: xa***23." },
    code: "credentials",
    says: TEST_KEY_ENV,
  },
  {
    server: "Perplexity",
    status: 400,
    body: {
      error: {
        message: "The total length of all messages is too long.",
        type: "too_many_prompt_tokens",
        code: 400,
      },
    },
    code: TOO_LONG,
    says: "total length",
  },
  {
    server: "Groq",
    status: 400,
    body: {
      error: {
        message: "Please reduce the length of the messages or completion.",
        type: "invalid_request_error",
        param: "messages",
      },
    },
    code: TOO_LONG,
    says: "reduce the length",
  },
  {
    server: "Mistral",
    status: 400,
    body: {
      object: "error",
      message:
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_error",
      param: null,
      code: "3051",
    },
    code: TOO_LONG,
    says: "40000 tokens",
  },
  {
    server: "Mistral",
    status: 401,
    body: { detail: "Invalid API Key" },
    code: "credentials",
    says: TEST_KEY_ENV,
  },
  {
    server: "a FastAPI server",
    status: 422,
    body: {
      detail: [{ type: "extra_forbidden", loc: ["body", "x"], msg: "Extra inputs are not permitted" }],
    },
    code: "invalid_request",
    says: "Extra inputs are not permitted",
  },
  {
    server: "Together",
    status: 422,
    body: {
      error: {
        message: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000",
        type: "invalid_request_error",
      },
    },
    code: TOO_LONG,
    says: "must be <= 4097",
  },
  {
    server: "Fireworks",
    status: 400,
    body: {
      error: {
        object: "error",
        type: "invalid_request_error",
        message: "The prompt is too long: 140000, model maximum context length: 131071",
      },
    },
    code: TOO_LONG,
    says: "140000",
  },
  {
    server: "Cohere",
    status: 401,
    body: { message: "invalid api token" },
    code: "credentials",
    says: TEST_KEY_ENV,
  },
  {
    server: "Cohere",
    status: 400,
    body: { message: "too many tokens: total number of tokens in the prompt cannot exceed 4081" },
    code: TOO_LONG,
    says: "4081",
  },
  {
    server: "DeepSeek",
    status: 402,
    body: {
      error: { message: "Insufficient Balance", type: "unknown_error", code: "invalid_request_error" },
    },
    code: "credentials",
    says: `the account of the credential in ${TEST_KEY_ENV} has no credit`,
  },
  {
    server: "Azure's content filter",
    status: 400,
    body: {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type: null,
        param: "prompt",
        code: "content_filter",
        status: 400,
        innererror: { code: "ResponsibleAIPolicyViolation" },
      },
    },
    code: "content_blocked",
    says: "content management policy",
  },
  {
    server: "Azure without the deployment",
    status: 404,
    body: { error: { code: "404", message: "Resource not found" } },
    code: "invalid_request",
    says: BASE_URL,
  },
  {
    server: "llama.cpp",
    status: 500,
    body: { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
    code: TOO_LONG,
    says: "Context size",
  },
  {
    server: "llama.cpp without /v1",
    status: 404,
    body: { error: { code: 404, message: "File Not Found", type: "not_found_error" } },
    code: "invalid_request",
    says: BASE_URL,
  },
  {
    server: "vLLM",
    status: 400,
    body: {
      object: "error",
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    code: TOO_LONG,
    says: "5000 tokens",
  },
  {
    server: "vLLM without /v1",
    status: 404,
    body: { detail: "Not Found" },
    code: "invalid_request",
    says: BASE_URL,
  },
  {
    server: "LM Studio without /v1",
    status: 200,
    body: { error: "Unexpected endpoint or method. (POST /chat/completions)" },
    code: "invalid_request",
    says: BASE_URL,
  },
  {
    server: "LM Studio",
    status: 400,
    body: {
      error:
        "Trying to keep the first 6547 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    },
    code: TOO_LONG,
    says: "6547",
  },
  {
    server: "Ollama without /v1",
    status: 404,
    body: "404 page not found",
    code: "invalid_request",
    says: `(404): 404 page not found: ${BASE_URL}`,
  },
  {
    server: "Ollama",
    status: 404,
    body: {
      error: { message: 'model "nomodel:1b" not found, try pulling it first', type: "not_found_error" },
    },
    code: "invalid_request",
    says: "the provider refused the request (404): model",
  },
  {
    server: "Express without the route",
    status: 404,
    body: "Cannot POST /chat/completions",
    code: "invalid_request",
    says: BASE_URL,
  },
  {
    server: "OpenAI, of more tokens than its rate allows",
    status: 429,
    body: {
      error: {
        message:
          "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 45210. The input or output tokens must be reduced in order to run successfully.",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
    code: TOO_LONG,
    says: "Requested 45210",
  },
  {
    server: "a server without a quota",
    status: 429,
    body: { error: { message: "Rate limit reached: Limit: 0, Requested: 1,200." } },
    code: "credentials",
    says: "no credit or quota left",
  },
  {
    server: "a proxy whose key is wrong",
    status: 500,
    body: {
      error: { message: "AuthenticationError: Incorrect API key provided: sk-***1", type: "proxy_error" },
    },
    code: "credentials",
    says: TEST_KEY_ENV,
  },
  {
    server: "a router without credit",
    status: 503,
    body: { error: { message: "upstream: insufficient_quota", type: "upstream_error" } },
    code: "credentials",
    says: "no credit",
  },
  {
    server: "a router without the model",
    status: 503,
    body: { error: { message: "no available channel for model x", code: "model_not_found" } },
    code: "invalid_request",
    says: "no available channel",
  },
  { server: "a server of files", status: 405, body: "", code: "invalid_request", says: BASE_URL },
];
