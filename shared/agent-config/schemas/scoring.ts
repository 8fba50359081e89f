import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Backend } from "#shared/agent-config/schemas/backend.ts";
import { Name, Whole } from "#shared/agent-config/schemas/schema-parts.ts";

/** The scoring of sessions, in a chain or in the defaults. The last two keys are those of the format and have no effect. */
export const ScoringSection = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  agent: Type.Optional(Name),
  llm_backend: Type.Optional(Backend),
  llm_provider: Type.Optional(Name),
  mcp_servers: Type.Optional(Type.Array(Name)),
  max_iterations: Type.Optional(Whole(1)),
});
export type ScoringSection = Static<typeof ScoringSection>;
