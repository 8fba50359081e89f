import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Embedding } from "#shared/agent-config/schemas/planned-keys.ts";
import { Whole } from "#shared/agent-config/schemas/schema-parts.ts";

/** `defaults.memory`: what is remembered of finished sessions. */
export const MemorySection = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  max_inject: Type.Optional(Whole(1, 50)),
  reflector_memory_limit: Type.Optional(Whole(1, 100)),
  embedding: Type.Optional(Embedding),
});
export type MemorySection = Static<typeof MemorySection>;
