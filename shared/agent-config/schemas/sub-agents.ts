import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Duration, Name, Whole } from "#shared/agent-config/schemas/schema-parts.ts";
import { Backend } from "#shared/agent-config/schemas/backend.ts";

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
);

/** The limits of an agent that dispatches others. */
export const Orchestrator = Type.Object({
  max_concurrent_agents: Count,
  max_dispatches: Count,
  agent_timeout: Type.Optional(Duration),
  max_budget: Type.Optional(Duration),
});
export type SubAgentEntry = Static<typeof SubAgents>[number];
export type OrchestratorEntry = Static<typeof Orchestrator>;
