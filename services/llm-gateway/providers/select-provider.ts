import { LLM_BACKENDS, PROVIDER_TYPES } from "#shared/contracts/resolved-chain.ts";
import { terminal } from "../errors/llm-error.ts";
import { iterateLater } from "./iterate-later.ts";
import type { Provider } from "./provider.ts";
import type { ProviderConfig } from "./provider-config.ts";

const LANGCHAIN_TYPES: readonly string[] = PROVIDER_TYPES.filter(
  (type) => type !== "google" && type !== "scripted",
);

/** Loads a provider with its first call: an SDK takes some 75 MB, which a gateway that never uses it should not pay. */
type LazyProvider = () => Promise<Provider>;

/** All providers; the settings of a call select one. */
export interface Providers {
  readonly googleNative: LazyProvider;
  readonly langchain: LazyProvider;
  readonly vertexGemini: LazyProvider;
  readonly scripted: LazyProvider;
}

/**
 * A provider that routes each call by provider type and backend. An empty backend means the type's default. With
 * backend `langchain`, Gemini (also on Vertex AI) is still served by Google's SDK. Throws TerminalError
 * `invalid_backend` for a combination that this gateway cannot serve.
 */
export function selectProvider(providers: Providers): Provider {
  return (call) =>
    iterateLater(async () => {
      const provider = await choose(call.config, providers);
      return provider(call);
    });
}

function choose({ provider, backend, model }: ProviderConfig, providers: Providers): Promise<Provider> {
  if (backend !== "" && !LLM_BACKENDS.some((known) => known === backend)) {
    throw terminal(
      "invalid_backend",
      `llm_config.backend is "${backend}": it must be one of ${LLM_BACKENDS.join(", ")}`,
    );
  }
  if (provider === "scripted" || backend === "scripted") return providers.scripted();
  if (provider === "google") return providers.googleNative();
  if (!LANGCHAIN_TYPES.includes(provider) || backend === "google-native") {
    throw terminal(
      "invalid_backend",
      `provider type "${provider}" cannot be served with backend "${backend}": backend langchain serves ${LANGCHAIN_TYPES.join(", ")}`,
    );
  }
  return provider === "vertexai" && !isClaude(model) ? providers.vertexGemini() : providers.langchain();
}

/** Vertex AI serves models of several vendors, each through a different API. */
function isClaude(model: string): boolean {
  return model.toLowerCase().startsWith("claude");
}
