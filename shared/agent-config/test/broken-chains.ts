import type { BrokenFile } from "./broken-file.ts";

const chain = (body: string, id = "c") => `agent_chains:\n  ${id}:\n${body.replaceAll(/^/gmu, "    ")}\n`;
const stage = (body: string) => chain(`alert_types: [a]\nstages:\n${body.replaceAll(/^/gmu, "  ")}`);

const grouping = (body: string) =>
  chain(
    `alert_types: [a]\nstages: [{name: x, agents: [{name: ChatAgent}]}]\ngrouping:\n${body.replaceAll(/^/gmu, "  ")}`,
  );

/** Chains with one mistake each. */
export const BROKEN_CHAINS: readonly BrokenFile[] = [
  {
    name: "chain without alert types",
    tarsy: chain("stages: [{name: x, agents: [{name: ChatAgent}]}]").replace("  c:", "  §c:"),
    errors: [["agent_chains.c.alert_types", "is required"]],
  },
  {
    name: "chain with no alert type",
    tarsy: chain("alert_types: §[]\nstages: [{name: x, agents: [{name: ChatAgent}]}]"),
    errors: [["agent_chains.c.alert_types", "at least one"]],
  },
  {
    name: "alert type of a built-in chain",
    tarsy: chain("alert_types: [§kubernetes]\nstages: [{name: x, agents: [{name: ChatAgent}]}]"),
    errors: [["agent_chains.c.alert_types[0]", "give this chain the id kubernetes-agent-chain"]],
  },
  {
    name: "grouping without fields",
    tarsy: grouping("by: §[]"),
    errors: [["agent_chains.c.grouping.by", "at least one"]],
  },
  {
    name: "grouping by a name that is no JSON pointer",
    tarsy: grouping("by: [§alertname]"),
    errors: [["agent_chains.c.grouping.by[0]", "must be a JSON pointer into the alert"]],
  },
  {
    name: "grouping with an unknown policy",
    tarsy: grouping("by: [/a]\non_resolved: §stop"),
    errors: [["agent_chains.c.grouping.on_resolved", "continue"]],
  },
  {
    name: "grouping with a window that is no duration",
    tarsy: grouping("by: [/a]\nwindow: §30"),
    errors: [["agent_chains.c.grouping.window", "duration"]],
  },
  {
    name: "grouping that does not say which value means resolved",
    tarsy: grouping("by: [/a]\n§resolved: {path: /state}"),
    errors: [["agent_chains.c.grouping.resolved.values", "is required"]],
  },
  {
    name: "chain without stages",
    tarsy: chain("alert_types: [a]\nstages: §[]"),
    errors: [["agent_chains.c.stages", "at least one"]],
  },
  {
    name: "stage without name",
    tarsy: stage("- §agents: [{name: ChatAgent}]"),
    errors: [["agent_chains.c.stages[0].name", "is required"]],
  },
  {
    name: "stage without agents",
    tarsy: stage("- {name: x, agents: §[]}"),
    errors: [["agent_chains.c.stages[0].agents", "at least one"]],
  },
  {
    name: "unknown agent",
    tarsy: stage("- name: x\n  agents:\n    - name: ChatAgent\n    - name: §ChatAgnet"),
    errors: [["agent_chains.c.stages[0].agents[1].name", "did you mean ChatAgent?"]],
  },
  {
    name: "stage agent's provider",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent, llm_provider: §nope}]}"),
    errors: [["agent_chains.c.stages[0].agents[0].llm_provider", "known LLM provider"]],
  },
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
    name: "key of a fallback provider",
    tarsy: chain(
      "alert_types: [a]\nfallback_providers: [{provider: test}, {provider: §openai-default}]\nstages: [{name: x, agents: [{name: ChatAgent}]}]",
    ),
    errors: [
      [
        "agent_chains.c.fallback_providers[1].provider",
        "needs OPENAI_API_KEY to be set, found openai-default",
      ],
    ],
  },
  {
    name: "stage agent's servers",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent, mcp_servers: [§nope]}]}"),
    errors: [["agent_chains.c.stages[0].agents[0].mcp_servers[0]", "known MCP server"]],
  },
  {
    name: "stage's servers",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}], mcp_servers: [§nope]}"),
    errors: [["agent_chains.c.stages[0].mcp_servers[0]", "known MCP server"]],
  },
  {
    name: "replicas",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}], replicas: §-1}"),
    errors: [["agent_chains.c.stages[0].replicas.min", "at least 0"]],
  },
  {
    name: "fewer replicas than begin",
    tarsy: stage(
      "- {name: x, agents: [{name: ChatAgent, conclusion: rca.v1}], replicas: {min: §3, max: 2, stop: agreement}}",
    ),
    errors: [["agent_chains.c.stages[0].replicas.min", "from 1 to max, which is 2"]],
  },
  {
    name: "replicas that compare no conclusions",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}], replicas: §{min: 1, max: 2}}"),
    errors: [["agent_chains.c.stages[0].replicas", "needs an agent that concludes"]],
  },
  {
    name: "replicas of several agents that stop",
    tarsy: stage(
      "- {name: x, conclusion: rca.v1, agents: [{name: ChatAgent}, {name: KubernetesAgent}], replicas: §{min: 1, max: 2}}",
    ),
    errors: [["agent_chains.c.stages[0].replicas", "one entry under agents"]],
  },
  {
    name: "replicas that stop, without a limit",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}], replicas: {min: 2, stop: §agreement}}"),
    errors: [["agent_chains.c.stages[0].replicas.stop", "needs max"]],
  },
  {
    name: "too many replicas",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}], replicas: §101}"),
    errors: [["agent_chains.c.stages[0].replicas", "at most 100"]],
  },
  {
    name: "stage's policy",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}], success_policy: §most}"),
    errors: [["agent_chains.c.stages[0].success_policy", "allowed: all, any"]],
  },
  {
    name: "synthesis agent",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}], synthesis: {agent: §Nobody}}"),
    errors: [["agent_chains.c.stages[0].synthesis.agent", "known agent"]],
  },
  {
    name: "synthesis provider",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}], synthesis: {llm_provider: §nope}}"),
    errors: [["agent_chains.c.stages[0].synthesis.llm_provider", "known LLM provider"]],
  },
  {
    name: "who writes the summary",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}]}").replace(
      "    stages",
      "    executive_summary_provider: §nope\n    stages",
    ),
    errors: [["agent_chains.c.executive_summary_provider", "known LLM provider"]],
  },
  {
    name: "who writes the summary, without its key",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}]}").replace(
      "    stages",
      "    executive_summary_provider: §xai-default\n    stages",
    ),
    errors: [["agent_chains.c.executive_summary_provider", "needs XAI_API_KEY to be set"]],
  },
  {
    name: "an agent's native tools",
    tarsy: "agents:\n  A:\n    native_tools: {google_serch: §true}\n",
    errors: [["agents.A.native_tools.google_serch", "did you mean google_search?"]],
  },
  {
    name: "a sub-agent without a name",
    tarsy: stage(
      "- {name: x, agents: [{name: ChatAgent}], sub_agents: [WebResearcher, §{max_iterations: 3}]}",
    ),
    errors: [["agent_chains.c.stages[0].sub_agents[1].name", "is required"]],
  },
  {
    name: "a sub-agent without a description",
    tarsy: `agents: {A: {custom_instructions: x}}\n${stage("- {name: x, agents: [{name: ChatAgent, sub_agents: [ChatAgent, §A]}]}")}`,
    errors: [
      ["agent_chains.c.stages[0].agents[0].sub_agents[1].name", "must be an agent with a description"],
    ],
  },
  {
    name: "an unknown sub-agent",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}], sub_agents: [§WebResearchr]}"),
    errors: [["agent_chains.c.stages[0].sub_agents[0].name", "did you mean WebResearcher?"]],
  },
  {
    name: "chat's servers",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}]}").replace(
      "    stages",
      "    chat: {mcp_servers: [§nope]}\n    stages",
    ),
    errors: [["agent_chains.c.chat.mcp_servers[0]", "known MCP server"]],
  },
  {
    name: "chain's servers",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}]}").replace(
      "    stages",
      "    mcp_servers: [§nope]\n    stages",
    ),
    errors: [["agent_chains.c.mcp_servers[0]", "known MCP server"]],
  },
  {
    name: "chain's provider",
    tarsy: stage("- {name: x, agents: [{name: ChatAgent}]}").replace(
      "    stages",
      "    llm_provider: §nope\n    stages",
    ),
    errors: [["agent_chains.c.llm_provider", "known LLM provider"]],
  },
];
