import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";

/** A model of Gemini's own API with Google's search and reading of pages; `switches` go before these. */
function google(model: string, switches: LlmProviderEntry["native_tools"] = {}): LlmProviderEntry {
  return {
    type: "google",
    model,
    api_key_env: "GOOGLE_API_KEY",
    max_tool_result_tokens: 950_000,
    native_tools: { google_search: true, code_execution: false, url_context: true, ...switches },
  };
}

/**
 * The built-in providers by name. Those of Google, OpenAI, Anthropic, xAI and Vertex AI have the names and models that files written
 * for the original rely on. When a model retires is beside its price.
 */
export const BUILT_IN_PROVIDERS: Readonly<Record<string, LlmProviderEntry>> = {
  "google-default": google("gemini-3.7-flash"),
  "gemini-3.7-flash": google("gemini-3.7-flash"),
  "gemini-3.6-flash": google("gemini-3.6-flash"),
  "gemini-3.5-flash": google("gemini-3.5-flash"),
  "gemini-3.1-pro": google("gemini-3.1-pro-preview"),
  "gemini-3.1-flash": google("gemini-3.1-flash-lite"),
  "gemini-3-flash": google("gemini-3-flash-preview"),
  "gemini-2.5-flash": google("gemini-2.5-flash"),
  "gemini-2.5-pro": google("gemini-2.5-pro"),
  "google-image-flash": google("gemini-3.1-flash-image", { url_context: false }),
  "openai-default": {
    type: "openai",
    model: "gpt-5.2",
    api_key_env: "OPENAI_API_KEY",
    max_tool_result_tokens: 250_000,
  },
  "anthropic-default": {
    type: "anthropic",
    model: "claude-sonnet-5",
    api_key_env: "ANTHROPIC_API_KEY",
    max_tool_result_tokens: 150_000,
  },
  "xai-default": {
    type: "xai",
    model: "grok-4.6",
    api_key_env: "XAI_API_KEY",
    max_tool_result_tokens: 200_000,
  },
  "mistral-default": { type: "mistral", model: "mistral-large-latest", max_tool_result_tokens: 100_000 },
  "groq-default": { type: "groq", model: "openai/gpt-oss-120b", max_tool_result_tokens: 100_000 },
  "openrouter-default": {
    type: "openrouter",
    model: "anthropic/claude-sonnet-5.5",
    max_tool_result_tokens: 150_000,
  },
  "deepseek-default": { type: "deepseek", model: "deepseek-v4-pro", max_tool_result_tokens: 100_000 },
  "vertexai-default": {
    type: "vertexai",
    model: "claude-sonnet-5",
    project_env: "GOOGLE_CLOUD_PROJECT",
    location_env: "GOOGLE_CLOUD_LOCATION",
    max_tool_result_tokens: 150_000,
  },
};
