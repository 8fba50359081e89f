import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";

/** Whose API turns texts into vectors. */
export const EMBEDDING_PROVIDERS = ["google", "openai"] as const;
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number];

/** The dimensions of a vector; more than any model's. */
export const MAX_DIMENSIONS = 4_096;

/** The texts of one call to the llm-gateway. */
export const MAX_EMBEDDED_TEXTS = 64;

/** The length of one text, in UTF-16 code units: below what every model reads, in any language. */
export const MAX_EMBEDDED_CHARACTERS = 6_000;

/** The model by which memories are found, as a session stores it; address and key are the llm-gateway's. */
export const ResolvedEmbedding = Type.Object({
  provider: literals(EMBEDDING_PROVIDERS),
  model: Type.String(),
  dimensions: Type.Integer({ minimum: 1 }),
});
export type ResolvedEmbedding = Static<typeof ResolvedEmbedding>;

/** The name that is stored with a vector: only vectors of the same name can be compared. */
export function embeddingName({ provider, model, dimensions }: ResolvedEmbedding): string {
  return `${provider}/${model}/${dimensions}`;
}
