import type { EmbeddingEntry } from "#shared/agent-config/schemas/memory-section.ts";
import type { EmbeddingProvider, ResolvedEmbedding } from "#shared/contracts/embedding.ts";

/** The model, and the way in which the llm-gateway reaches it, that turns texts into vectors. */
export interface EmbeddingSettings extends ResolvedEmbedding {
  /** The variable with the key; absent: none is sent. */
  readonly api_key_env?: string;
  /** Absent for the provider's own address. */
  readonly base_url?: string;
}

const DEFAULTS: Readonly<
  Record<EmbeddingProvider, { readonly model: string; readonly keyVariable: string }>
> = {
  google: { model: "gemini-embedding-2-preview", keyVariable: "GOOGLE_API_KEY" },
  openai: { model: "text-embedding-3-small", keyVariable: "OPENAI_API_KEY" },
};
const DEFAULT_DIMENSIONS = 768;

/** An entry with the defaults of its provider. A server at another address gets a key only if the entry names one. */
export function embeddingOf({
  provider = "google",
  model,
  api_key_env,
  dimensions = DEFAULT_DIMENSIONS,
  base_url,
}: EmbeddingEntry): EmbeddingSettings {
  const defaults = DEFAULTS[provider];
  const variable = api_key_env ?? (base_url === undefined ? defaults.keyVariable : undefined);
  return {
    provider,
    model: model ?? defaults.model,
    dimensions,
    ...(variable === undefined ? {} : { api_key_env: variable }),
    ...(base_url === undefined ? {} : { base_url }),
  };
}
