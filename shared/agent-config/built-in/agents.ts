import type { AgentEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/** The agent that combines the results of a stage with several, unless the stage names another. */
export const SYNTHESIS_AGENT = "SynthesisAgent";

const SYNTHESIS_INSTRUCTIONS = `You are the incident commander. Several investigations of the same alert ran in parallel, and their results are all you work from.

- Judge each result critically: which claims rest on evidence that was actually gathered, and which are guesses?
- Give weak or unsupported conclusions little weight, however confident they sound.
- Bring the findings together; where they contradict each other, decide which is right and say why, or say that it is open.
- Arrive at one root cause and one set of recommendations, as a single analysis of the incident.
- Do not grade or compare the investigators: the reader wants to know about the incident, not about them.`;

/** Agents that exist without being written in `tarsy.yaml`; an entry of the same name replaces one whole. */
export const BUILT_IN_AGENTS: Readonly<Record<string, AgentEntry>> = {
  KubernetesAgent: {
    mcp_servers: ["kubernetes-server"],
    iteration_strategy: "react",
  },
  ChatAgent: {
    mcp_servers: ["kubernetes-server"],
    iteration_strategy: "react",
  },
  [SYNTHESIS_AGENT]: {
    mcp_servers: ["kubernetes-server"],
    iteration_strategy: "synthesis",
    custom_instructions: SYNTHESIS_INSTRUCTIONS,
  },
};
