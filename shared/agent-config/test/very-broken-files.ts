import type { BrokenFile } from "./broken-file.ts";

/** Files with several mistakes each. */
export const VERY_BROKEN_FILES: readonly BrokenFile[] = [
  {
    name: "a queue with everything wrong",
    tarsy: `queue:
  worker_count: §none
  max_concurrent_sessions: §-1
  session_timeout: §soon
  orphan_threshold: §-1s
  heartbeat_interval: §-0.5s
`,
    errors: [
      ["queue.worker_count", "whole number"],
      ["queue.max_concurrent_sessions", "at least 1"],
      ["queue.session_timeout", "duration"],
      ["queue.orphan_threshold", "zero or more"],
      ["queue.heartbeat_interval", "zero or more"],
    ],
  },
  {
    name: "shape and references in one chain",
    tarsy: `agent_chains:
  c:
    alert_types: [a, §{b: c}, §[e], §kubernetes]
    llm_provider: §nope
    stages:
      - §agents:
          - name: §Nobody
            max_iterations: §0
          - §llm_provider: test
      - name: two
        agents: §x
        success_policy: §none
`,
    errors: [
      ["agent_chains.c.alert_types[1]", "must be text"],
      ["agent_chains.c.alert_types[2]", "must be text"],
      ["agent_chains.c.alert_types[3]", "handled by chain kubernetes-agent-chain already"],
      ["agent_chains.c.llm_provider", "known LLM provider"],
      ["agent_chains.c.stages[0].name", "is required"],
      ["agent_chains.c.stages[0].agents[0].name", "known agent"],
      ["agent_chains.c.stages[0].agents[0].max_iterations", "at least 1"],
      ["agent_chains.c.stages[0].agents[1].name", "is required"],
      ["agent_chains.c.stages[1].agents", "must be a list"],
      ["agent_chains.c.stages[1].success_policy", "allowed values"],
    ],
  },
  {
    name: "one alert type, three chains",
    tarsy: `agent_chains:
  one: {alert_types: [x], stages: [{name: s, agents: [{name: ChatAgent}]}]}
  two: {alert_types: [§x], stages: [{name: s, agents: [{name: ChatAgent}]}]}
  three: {alert_types: [y, §x], stages: [{name: s, agents: [{name: §Chat}]}]}
`,
    errors: [
      ["agent_chains.two.alert_types[0]", "handled by chain one"],
      ["agent_chains.three.alert_types[1]", "handled by chain one"],
      ["agent_chains.three.stages[0].agents[0].name", "known agent"],
    ],
  },
  {
    name: "a wrong agent is not also an unknown one",
    tarsy: `agents:
  A: §[x]
  B: {iteration_strategy: §x}
agent_chains:
  c: {alert_types: [a], stages: [{name: s, agents: [{name: A}, {name: B}, {name: §C}]}]}
`,
    errors: [
      ["agents.A", "must be a mapping"],
      ["agents.B.iteration_strategy", "allowed values"],
      ["agent_chains.c.stages[0].agents[2].name", "allowed: A, B"],
    ],
  },
  {
    name: "templates and values",
    tarsy: `agents:
  A:
    custom_instructions: "§{{ range }} and §{{ .X | upper }}"
    max_iterations: §none
  B:
    mcp_servers: [§{{x}}, §nope]
`,
    errors: [
      ["", "{{ range }}"],
      ["", "{{ .X | upper }}"],
      ["agents.A.max_iterations", "whole number"],
      ["", "{{x}}"],
      ["agents.B.mcp_servers[1]", "known MCP server"],
    ],
  },
  {
    name: "syntax on two lines",
    tarsy: 'queue:\n  worker_count: §@5\nagents:\n  A: {custom_instructions: "§\\q"}\n',
    errors: [
      ["", "reserved character"],
      ["", "escape"],
    ],
  },
  {
    name: "two servers",
    tarsy: `mcp_servers:
  one:
    transport: {type: §tcp}
    data_masking: {enabled: §perhaps, patterns: [token]}
  two:
    §transport: {type: http}
    data_masking:
      enabled: yes
      pattern_groups: [§none]
      patterns: [§none]
      custom_patterns:
        - {pattern: a, replacement: b}
        - §§description: nothing else
    summarization: {enabled: on, size_threshold_tokens: §1, summary_max_token_limit: §1}
`,
    errors: [
      ["mcp_servers.one.transport.type", "allowed values"],
      ["mcp_servers.one.data_masking.enabled", "true or false"],
      ["mcp_servers.two.transport.url", "is required"],
      ["mcp_servers.two.data_masking.pattern_groups[0]", "masking pattern group"],
      ["mcp_servers.two.data_masking.patterns[0]", "masking pattern"],
      ["mcp_servers.two.data_masking.custom_patterns[1].pattern", "is required"],
      ["mcp_servers.two.data_masking.custom_patterns[1].replacement", "is required"],
      ["mcp_servers.two.summarization.size_threshold_tokens", "at least 100"],
      ["mcp_servers.two.summarization.summary_max_token_limit", "at least 50"],
    ],
  },
  {
    name: "providers",
    providers: `llm_providers:
  test: {type: scripted, script: s.yaml}
  a: {type: §x, model: §[], max_tool_result_tokens: §1}
  §b: {type: openai, api_key_env: §sk-not-a-name, native_tools: §[]}
  "odd name": {type: google, model: m, max_tool_result_tokens: 2000, native_tools: {a: §true, b: §true}}
`,
    errors: [
      ["llm_providers.a.type", "allowed values"],
      ["llm_providers.a.model", "must be text"],
      ["llm_providers.a.max_tool_result_tokens", "at least 1000"],
      ["llm_providers.b.model", "is required"],
      ["llm_providers.b.api_key_env", "name of an environment variable"],
      ["llm_providers.b.native_tools", "must be a mapping"],
      ['llm_providers["odd name"].native_tools.a', "known native tool"],
      ['llm_providers["odd name"].native_tools.b', "known native tool"],
    ],
  },
  {
    name: "unset keys of a chain's providers",
    tarsy: `defaults:
  llm_provider: §openai-default
agent_chains:
  c:
    alert_types: [a]
    llm_provider: test
    chat: {enabled: true, agent: ChatAgent, llm_provider: §xai-default}
    stages:
      - name: s
        agents: [{name: ChatAgent}, {name: ChatAgent, llm_provider: §google-default}]
        synthesis: {llm_provider: §vertexai-default}
`,
    errors: [
      ["defaults.llm_provider", "needs OPENAI_API_KEY"],
      ["agent_chains.c.chat.llm_provider", "needs XAI_API_KEY"],
      ["agent_chains.c.stages[0].agents[1].llm_provider", "needs GOOGLE_API_KEY"],
      ["agent_chains.c.stages[0].synthesis.llm_provider", "needs GOOGLE_CLOUD_PROJECT"],
    ],
  },
  {
    name: "sections of the wrong kind neither hide nor add other mistakes",
    tarsy: `defaults:
  llm_provider: test
  alert_type: mine
agents: §[]
mcp_servers: §text
agent_chains: §5
queue: {worker_count: §-1}
`,
    errors: [
      ["agents", "must be a mapping"],
      ["mcp_servers", "must be a mapping"],
      ["agent_chains", "must be a mapping"],
      ["queue.worker_count", "from 1 to 50"],
    ],
  },
  {
    name: "aliases and merges that cannot be read",
    tarsy: `agents:
  A: {<<: §*none, max_iterations: 0}
  B: {<<: §text}
  C: {<<: [{max_iterations: §0}], mcp_servers: §*none}
  ? §[odd]
  : {}
`,
    errors: [
      ["", "no anchor before it"],
      ["agents.B", "<< must name a mapping"],
      ["agents.C.max_iterations", "at least 1"],
      ["", "no anchor before it"],
      ["agents", "a key must be a name"],
    ],
  },
];
