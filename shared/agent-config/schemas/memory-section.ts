import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Name, VariableName, Whole, orZero } from "#shared/agent-config/schemas/schema-parts.ts";
import { EMBEDDING_PROVIDERS, MAX_DIMENSIONS } from "#shared/contracts/embedding.ts";

/** The model that says which memories are near to an alert in meaning. */
const Embedding = Type.Object({
  provider: Type.Optional(Type.Enum([...EMBEDDING_PROVIDERS])),
  model: Type.Optional(Name),
  api_key_env: Type.Optional(VariableName),
  dimensions: Type.Optional(orZero(Whole(1, MAX_DIMENSIONS))),
  base_url: Type.Optional(Name),
});
export type EmbeddingEntry = Static<typeof Embedding>;

/** `defaults.memory`: what is remembered of finished sessions. */
export const MemorySection = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  max_inject: Type.Optional(orZero(Whole(1, 50))),
  reflector_memory_limit: Type.Optional(orZero(Whole(1, 100))),
  embedding: Type.Optional(Embedding),
});
export type MemorySection = Static<typeof MemorySection>;
