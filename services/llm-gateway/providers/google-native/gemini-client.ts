import { GoogleGenAI } from "@google/genai";
import type { Environment } from "#shared/service/environment.ts";
import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { terminal } from "../../errors/llm-error.ts";
import type { ErrorContext } from "../../errors/provider-failure.ts";
import { baseUrl } from "../base-url.ts";
import { apiKey } from "../credential.ts";
import { lruCached } from "../lru-cache.ts";
import { providerTarget } from "../provider-target.ts";
import { PROVIDER_URLS } from "../provider-urls.ts";

/** The SDK's default version has neither thinking nor tools. */
const API_VERSION = "v1beta";
const MAX_CLIENTS = 32;

/** The SDK's client for one call. */
export interface OpenedGeminiClient extends ErrorContext {
  readonly client: GoogleGenAI;
}

/**
 * Opens the client for a call. Throws TerminalError `credentials` or `invalid_request` if its settings are unusable.
 */
export type OpenGeminiClient = (config: LLMConfig) => OpenedGeminiClient | Promise<OpenedGeminiClient>;

/** Opens clients for the Gemini API with the key that a call names, cached by key and base URL. */
export function openWithApiKey(env: Environment): OpenGeminiClient {
  const clients = lruCached(MAX_CLIENTS, newClient);
  return (config) => {
    const { apiKeyEnv, baseUrl: configured } = config;
    if (apiKeyEnv === "") {
      throw terminal(
        "credentials",
        "llm_config.api_key_env is empty: it must name the variable that holds the key",
      );
    }
    const key = apiKey(apiKeyEnv, env);
    return {
      client: clients({ key, configured }),
      secrets: [key],
      credential: `the credential in ${apiKeyEnv}`,
      target: providerTarget(config),
    };
  };
}

function newClient({ key, configured }: { key: string; configured: string }): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: key,
    // Everything is set, because the SDK falls back to environment variables.
    vertexai: false,
    httpOptions: { baseUrl: `${baseUrl(configured, PROVIDER_URLS.google)}/`, apiVersion: API_VERSION },
  });
}
