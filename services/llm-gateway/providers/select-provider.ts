import { LLM_BACKENDS } from "#shared/contracts/resolved-chain.ts";
import type { LLMConfig } from "#shared/generated/llm/v1/llm.ts";
import { terminal } from "../errors/llm-error.ts";
import type { Provider } from "./provider.ts";

const LANGCHAIN_TYPES = ["openai", "anthropic", "xai", "vertexai"];

/** Loads a provider when its first call comes: an SDK costs 75 MB, which a gateway that never uses it should not pay. */
export type LazyProvider = () => Promise<Provider>;

/** The provider behind every name; which one serves a call is decided by its llm_config. */
export interface Providers {
  readonly googleNative: LazyProvider;
  readonly langchain: LazyProvider;
  readonly vertexGemini: LazyProvider;
  readonly scripted: LazyProvider;
}

/**
 * The one provider the server knows: routes each call by type and backend. An empty backend means the provider's own;
 * `langchain` serves Google models, also those on Vertex AI, through the native client. Throws TerminalError `invalid_backend` for what
 * this gateway cannot serve.
 */
export function selectProvider(providers: Providers): Provider {
  return async function* select(call) {
    const provider = await choose(call.config, providers);
    yield* provider(call);
  };
}

function choose({ provider, backend, model }: LLMConfig, providers: Providers): Promise<Provider> {
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
      `llm_config.provider "${provider}" cannot be served with backend "${backend}": backend langchain serves ${LANGCHAIN_TYPES.join(", ")}`,
    );
  }
  return provider === "vertexai" && !isClaude(model) ? providers.vertexGemini() : providers.langchain();
}

/** Vertex AI serves models of several makers, each through an API of its own. */
function isClaude(model: string): boolean {
  return model.toLowerCase().startsWith("claude");
}
