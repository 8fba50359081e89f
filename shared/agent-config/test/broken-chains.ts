import { brokenRows, type BrokenFile } from "./broken-file.ts";

const chain = (body: string) => `agent_chains:\n  c:\n${body.replaceAll(/^/gmu, "    ")}\n`;
const STAGES = "stages: [{name: x, agents: [{name: ChatAgent}]}]";

const CHAINS = String.raw`
chain with no alert type            | alert_types    | at least one                                  | alert_types: §[]\n${STAGES}
alert type of a built-in chain      | alert_types[0] | give this chain the id kubernetes-agent-chain | alert_types: [§kubernetes]\n${STAGES}
chain without stages                | stages         | at least one                                  | alert_types: [a]\nstages: §[]
stage without name                  | stages[0].name | is required                                   | alert_types: [a]\nstages:\n  - §agents: [{name: ChatAgent}]
stage without agents                | stages[0].agents | at least one                                | alert_types: [a]\nstages: [{name: x, agents: §[]}]
unknown agent                       | stages[0].agents[1].name | did you mean ChatAgent?             | alert_types: [a]\nstages:\n  - name: x\n    agents:\n      - name: ChatAgent\n      - name: §ChatAgnet
`;
/** Keys of a chain. */
const KEYS = String.raw`
grouping without fields                                     | grouping.by                 | at least one                        | grouping: {by: §[]}
grouping by a name that is no JSON pointer                  | grouping.by[0]              | must be a JSON pointer into the alert | grouping: {by: [§alertname]}
grouping with an unknown policy                             | grouping.on_resolved        | continue                            | grouping: {by: [/a], on_resolved: §stop}
grouping with a window that is no duration                  | grouping.window             | duration                            | grouping: {by: [/a], window: §30}
grouping that does not say which value means resolved       | grouping.resolved.values    | is required                         | grouping: {by: [/a], §resolved: {path: /state}}
key of a fallback provider                                  | fallback_providers[1].provider | needs OPENAI_API_KEY to be set, found openai-default | fallback_providers: [{provider: test}, {provider: §openai-default}]
who writes the summary                                      | executive_summary_provider  | known LLM provider                  | executive_summary_provider: §nope
who writes the summary, without its key                     | executive_summary_provider  | needs XAI_API_KEY to be set         | executive_summary_provider: §xai-default
chat's servers                                              | chat.mcp_servers[0]         | known MCP server                    | chat: {mcp_servers: [§nope]}
chain's servers                                             | mcp_servers[0]              | known MCP server                    | mcp_servers: [§nope]
chain's provider                                            | llm_provider                | known LLM provider                  | llm_provider: §nope
`;
/** Keys of a stage. */
const STAGE_KEYS = String.raw`
stage agent's provider                | agents[0].llm_provider        | known LLM provider                 | agents: [{name: ChatAgent, llm_provider: §nope}]
stage agent's servers                 | agents[0].mcp_servers[0]      | known MCP server                   | agents: [{name: ChatAgent, mcp_servers: [§nope]}]
stage's servers                       | mcp_servers[0]                | known MCP server                   | agents: [{name: ChatAgent}], mcp_servers: [§nope]
replicas                              | replicas.min                  | at least 0                         | agents: [{name: ChatAgent}], replicas: §-1
fewer replicas than begin             | replicas.min                  | from 1 to max, which is 2          | agents: [{name: ChatAgent, conclusion: rca.v1}], replicas: {min: §3, max: 2, stop: agreement}
replicas that compare no conclusions  | replicas                      | needs an agent that concludes      | agents: [{name: ChatAgent}], replicas: §{min: 1, max: 2}
replicas of several agents that stop  | replicas                      | one entry under agents             | conclusion: rca.v1, agents: [{name: ChatAgent}, {name: KubernetesAgent}], replicas: §{min: 1, max: 2}
replicas that stop, without a limit   | replicas.stop                 | needs max                          | agents: [{name: ChatAgent}], replicas: {min: 2, stop: §agreement}
too many replicas                     | replicas                      | at most 100                        | agents: [{name: ChatAgent}], replicas: §101
stage's policy                        | success_policy                | allowed: all, any                  | agents: [{name: ChatAgent}], success_policy: §most
synthesis agent                       | synthesis.agent               | known agent                        | agents: [{name: ChatAgent}], synthesis: {agent: §Nobody}
synthesis provider                    | synthesis.llm_provider        | known LLM provider                 | agents: [{name: ChatAgent}], synthesis: {llm_provider: §nope}
a sub-agent without a name            | sub_agents[1].name            | is required                        | agents: [{name: ChatAgent}], sub_agents: [WebResearcher, §{max_iterations: 3}]
an unknown sub-agent                  | sub_agents[0].name            | did you mean WebResearcher?        | agents: [{name: ChatAgent}], sub_agents: [§WebResearchr]
a sub-agent without a description     | agents[0].sub_agents[1].name  | must be an agent with a description | agents: [{name: ChatAgent, sub_agents: [ChatAgent, §A]}]
`;

/** Chains with one mistake each. */
export const BROKEN_CHAINS: readonly BrokenFile[] = [
  {
    name: "chain without alert types",
    tarsy: chain(STAGES).replace("  c:", "  §c:"),
    errors: [["agent_chains.c.alert_types", "is required"]],
  },
  ...brokenRows(CHAINS, (text) => ({ tarsy: chain(text) }), "agent_chains.c."),
  ...brokenRows(KEYS, (key) => ({ tarsy: chain(`alert_types: [a]\n${key}\n${STAGES}`) }), "agent_chains.c."),
  ...brokenRows(
    STAGE_KEYS,
    (keys) => ({
      tarsy: `agents: {A: {custom_instructions: x}}\n${chain(`alert_types: [a]\nstages: [{name: x, ${keys}}]`)}`,
    }),
    "agent_chains.c.stages[0].",
  ),
  {
    name: "fallback providers at every level",
    tarsy: `defaults:\n  llm_provider: test\n  fallback_providers: [{provider: §tset}]\n${chain(
      "alert_types: [a]\nfallback_providers: [{provider: §none}]\nstages:\n  - name: x\n    fallback_providers: [{provider: test, backend: §native}, §{backend: langchain}]\n    agents: [{name: ChatAgent, fallback_providers: [{provider: §no}, {provider: test, backend: §langchain}]}]",
    )}`,
    errors: [
      ["defaults.fallback_providers[0].provider", "did you mean test?"],
      ["agent_chains.c.fallback_providers[0].provider", "known LLM provider"],
      ["agent_chains.c.stages[0].fallback_providers[0].backend", "google-native"],
      ["agent_chains.c.stages[0].fallback_providers[1].provider", "is required"],
      ["agent_chains.c.stages[0].agents[0].fallback_providers[0].provider", "known LLM provider"],
      ["agent_chains.c.stages[0].agents[0].fallback_providers[1].backend", "must not be set"],
    ],
  },
  {
    name: "an agent's native tools",
    tarsy: "agents:\n  A:\n    native_tools: {google_serch: §true}\n",
    errors: [["agents.A.native_tools.google_serch", "did you mean google_search?"]],
  },
];
