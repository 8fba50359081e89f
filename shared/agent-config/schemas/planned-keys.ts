import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Duration, Name, VariableName, Whole } from "#shared/agent-config/schemas/schema-parts.ts";
import { Backend } from "#shared/agent-config/schemas/backend.ts";

/**
 * Keys of the format whose features are not built. They are accepted and checked, and each use causes one warning with the
 * reason in `notYet`.
 */
const NO_SUB_AGENTS = "agents cannot dispatch others yet";

const Names = Type.Array(Name);
const Count = Type.Optional(Whole(1));

/** The agents that another one may dispatch: their names, or their names with settings. */
export const SubAgents = Type.Array(
  Type.Object(
    {
      name: Name,
      llm_provider: Type.Optional(Name),
      llm_backend: Type.Optional(Backend),
      max_iterations: Count,
      mcp_servers: Type.Optional(Names),
      skills: Type.Optional(Names),
      required_skills: Type.Optional(Names),
    },
    { shorthand: "name" },
  ),
  { notYet: NO_SUB_AGENTS },
);

/** The limits of an agent that dispatches others. */
export const Orchestrator = Type.Object(
  {
    max_concurrent_agents: Count,
    agent_timeout: Type.Optional(Duration),
    max_budget: Type.Optional(Duration),
  },
  { notYet: NO_SUB_AGENTS },
);

/** The model that says which memories are near to an alert in meaning. */
export const Embedding = Type.Object(
  {
    provider: Type.Optional(Type.Enum(["google", "openai"])),
    model: Type.Optional(Name),
    api_key_env: Type.Optional(VariableName),
    dimensions: Count,
    base_url: Type.Optional(Name),
  },
  { notYet: "memories are found by their words" },
);
