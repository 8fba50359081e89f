import type { LlmProviderEntry } from "#shared/agent-config/schemas/llm-providers-file.ts";

/** Providers that exist without being written in `llm-providers.yaml`; an entry of the same name replaces one whole. */
export const BUILT_IN_LLM_PROVIDERS: Readonly<Record<string, LlmProviderEntry>> = {
  "google-default": {
    type: "google",
    model: "gemini-2.5-pro",
    api_key_env: "GOOGLE_API_KEY",
    max_tool_result_tokens: 950_000,
    native_tools: { google_search: true, code_execution: false, url_context: true },
  },
  "openai-default": {
    type: "openai",
    model: "gpt-5",
    api_key_env: "OPENAI_API_KEY",
    max_tool_result_tokens: 250_000,
  },
  "anthropic-default": {
    type: "anthropic",
    model: "claude-sonnet-4-20250514",
    api_key_env: "ANTHROPIC_API_KEY",
    max_tool_result_tokens: 150_000,
  },
  "xai-default": {
    type: "xai",
    model: "grok-4",
    api_key_env: "XAI_API_KEY",
    max_tool_result_tokens: 200_000,
  },
  "vertexai-default": {
    type: "vertexai",
    model: "claude-sonnet-4-5@20250929",
    project_env: "GOOGLE_CLOUD_PROJECT",
    location_env: "GOOGLE_CLOUD_LOCATION",
    max_tool_result_tokens: 150_000,
  },
};
