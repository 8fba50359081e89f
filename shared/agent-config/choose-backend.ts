import type { IterationStrategy, LlmBackend, ProviderType } from "#shared/contracts/resolved-chain.ts";

/**
 * Which client in the gateway makes the calls. The ruling wants `langchain` for ReAct, synthesis and single
 * calls and the native client for the native strategies on Google; a Google provider's `langchain` may
 * delegate to the native client, which keeps its signatures, and does so here, at the source.
 * The native strategies on other providers run on `langchain` with bound tools.
 */
export function chooseBackend(_strategy: IterationStrategy, type: ProviderType): LlmBackend {
  if (type === "scripted") return "scripted";
  return type === "google" ? "google-native" : "langchain";
}
