import { GoogleGenAI } from "@google/genai";
import type { Environment } from "#shared/service/environment.ts";
import type { ErrorContext } from "../../errors/provider-failure.ts";
import { baseUrl } from "../base-url.ts";
import { providerKey } from "../credential.ts";
import { lruCached } from "../lru-cache.ts";
import { PROVIDER_URLS } from "../provider-urls.ts";
import { requestTemplate, type RequestTemplate } from "./request/request-template.ts";
import type { ProviderConfig } from "../provider-config.ts";

/** The SDK's default version has neither thinking nor tools. */
const API_VERSION = "v1beta";
const MAX_CLIENTS = 32;
const MAX_MODELS_PER_CLIENT = 32;

/** The SDK's client for one call. */
export interface OpenedGeminiClient extends ErrorContext {
  readonly client: GoogleGenAI;
  /** What all requests for a model have in common; undefined for a client that signs each request. */
  readonly template: ((model: string) => Promise<RequestTemplate>) | undefined;
}

/**
 * Opens the client for a call. Throws TerminalError `credentials` or `invalid_request` if its settings are unusable.
 */
export type OpenGeminiClient = (config: ProviderConfig) => OpenedGeminiClient | Promise<OpenedGeminiClient>;

/** Opens clients for the Gemini API with the key that a call names, cached by key and base URL. */
export function openWithApiKey(env: Environment): OpenGeminiClient {
  const clients = lruCached(MAX_CLIENTS, newClient);
  return (config) => {
    const { apiKeyEnv, baseUrl: configured } = config;
    const key = providerKey(config, env);
    return {
      ...clients({ key, configured }),
      secrets: key === undefined ? [] : [key],
      credential: apiKeyEnv,
    };
  };
}

function newClient({
  key,
  configured,
}: {
  key: string | undefined;
  configured: string;
}): Pick<OpenedGeminiClient, "client" | "template"> {
  const client = new GoogleGenAI({
    // The SDK requires a key.
    apiKey: key ?? "none",
    // Everything is set, because the SDK falls back to environment variables.
    vertexai: false,
    httpOptions: { baseUrl: `${baseUrl(configured, PROVIDER_URLS.google)}/`, apiVersion: API_VERSION },
  });
  const template = async (model: string) => {
    const { url, headers } = await requestTemplate(client, model);
    const { "x-goog-api-key": _none, ...keyless } = headers;
    return { url, headers: key === undefined ? keyless : headers };
  };
  return { client, template: lruCached(MAX_MODELS_PER_CLIENT, template) };
}
