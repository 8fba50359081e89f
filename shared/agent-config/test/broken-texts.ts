import type { BrokenFile } from "./broken-file.ts";

const provider = (body: string) => `llm_providers:\n  test: {type: scripted, script: s.yaml}\n  p: ${body}\n`;

const slow = (timeouts: string) =>
  `llm_providers:\n  test: {type: scripted, script: s.yaml, timeouts: ${timeouts}}\n`;

/** Providers, templates and YAML with one mistake each. */
export const BROKEN_TEXTS: readonly BrokenFile[] = [
  {
    name: "provider type",
    providers: provider("{type: §gogle, model: m, max_tool_result_tokens: 1000}"),
    errors: [["llm_providers.p.type", "did you mean google?"]],
  },
  {
    name: "provider without type",
    providers: provider("{model: m}").replace("  p:", "  §p:"),
    errors: [["llm_providers.p.type", "is required"]],
  },
  {
    name: "provider without model",
    providers: provider("{type: openai, max_tool_result_tokens: 1000}").replace("  p:", "  §p:"),
    errors: [["llm_providers.p.model", "is required"]],
  },
  {
    name: "provider's tokens",
    providers: provider("{type: openai, model: m, max_tool_result_tokens: §999}"),
    errors: [["llm_providers.p.max_tool_result_tokens", "at least 1000"]],
  },
  {
    name: "an answer that is too short",
    providers: provider("{type: openai, model: m, max_tool_result_tokens: 1000, max_output_tokens: §0}"),
    errors: [["llm_providers.p.max_output_tokens", "at least 16"]],
  },
  {
    name: "timeouts without the call's",
    providers: slow("{first_chunk: 5m}").replace("timeouts", "§timeouts"),
    errors: [["llm_providers.test.timeouts.call", "is required"]],
  },
  {
    name: "silence that is longer than the call",
    providers: slow("{call: 5m, first_chunk: §6m, stall: §301s}"),
    errors: [
      ["llm_providers.test.timeouts.first_chunk", "must not be longer than call (5m)"],
      ["llm_providers.test.timeouts.stall", "must not be longer than call (5m)"],
    ],
  },
  {
    name: "an iteration that is shorter than a call",
    providers: slow("{call: 10m}"),
    tarsy:
      "defaults: {llm_provider: test, iteration_timeout: §9m}\nagents:\n  A: {iteration_timeout: §599s}\nagent_chains:\n  c: {alert_types: [x], stages: [{name: s, agents: [{name: A}, {name: KubernetesAgent, iteration_timeout: 10m}]}]}\n",
    errors: [
      ["defaults.iteration_timeout", "must not be shorter than timeouts.call (10m) of provider test"],
      ["agents.A.iteration_timeout", "must not be shorter than timeouts.call (10m) of provider test"],
    ],
  },
  {
    name: "an iteration that is shorter than a call of a fallback provider",
    providers: `${slow("{call: 10m}")}  fast: {type: scripted, script: s.yaml}\n`,
    tarsy: "defaults: {llm_provider: fast, fallback_providers: [{provider: test}], iteration_timeout: §9m}\n",
    errors: [["defaults.iteration_timeout", "must not be shorter than timeouts.call (10m) of provider test"]],
  },
  {
    name: "a session that is shorter than a call",
    providers: slow("{call: 1h}"),
    tarsy: "queue: {session_timeout: §1h}\ndefaults: {llm_provider: test}\n",
    errors: [["queue.session_timeout", "must be longer than timeouts.call (1h) of provider test"]],
  },
  {
    name: "a session that is shorter than a call by default",
    providers: slow("{call: 15m}"),
    tarsy: "§defaults: {llm_provider: test}\n",
    errors: [["queue.session_timeout", "and is 15m by default"]],
  },
  {
    name: "native tool",
    providers: provider(
      "{type: google, model: m, max_tool_result_tokens: 1000, native_tools: {google_serch: §true}}",
    ),
    errors: [["llm_providers.p.native_tools.google_serch", "did you mean google_search?"]],
  },
  {
    name: "native tool's switch",
    providers: provider(
      "{type: google, model: m, max_tool_result_tokens: 1000, native_tools: {google_search: §1}}",
    ),
    errors: [["llm_providers.p.native_tools.google_search", "true or false"]],
  },
  {
    name: "scripted without script",
    providers: provider("{type: scripted}").replace("  p:", "  §p:"),
    errors: [["llm_providers.p.script", "is required"]],
  },
  {
    name: "script outside the configuration directory",
    providers: "llm_providers:\n  test: {type: scripted, script: §../../../../../../../etc/passwd}\n",
    errors: [["llm_providers.test.script", "leads out of it"]],
  },
  {
    name: "script by its absolute path",
    providers: "llm_providers:\n  test: {type: scripted, script: §/s.yaml}\n",
    errors: [["llm_providers.test.script", "leads out of it"]],
  },
  {
    name: "script that is not a path",
    providers: 'llm_providers:\n  test: {type: scripted, script: §"s\\0.yaml"}\n',
    errors: [["llm_providers.test.script", "there is no"]],
  },
  {
    name: "script that is missing",
    providers: "llm_providers:\n  test: {type: scripted, script: §gone.yaml}\n",
    errors: [["llm_providers.test.script", "there is no"]],
  },
  {
    name: "base_url",
    providers: provider("{type: openai, model: m, max_tool_result_tokens: 1000, base_url: §ftp://x}"),
    errors: [["llm_providers.p.base_url", "http or https URL"]],
  },
  {
    name: "bedrock without region",
    providers: provider("{type: bedrock, model: m, max_tool_result_tokens: 1000, api_key_env: K}").replace(
      "  p:",
      "  §p:",
    ),
    errors: [["llm_providers.p.region", "is required"]],
  },
  {
    name: "bedrock's region",
    providers: provider("{type: bedrock, model: m, max_tool_result_tokens: 1000, region: §Ohio}"),
    errors: [["llm_providers.p.region", "like us-east-1"]],
  },
  {
    name: "half of an AWS key",
    providers: provider(
      "{type: bedrock, model: m, max_tool_result_tokens: 1000, region: eu-west-1, access_key_id_env: K}",
    ).replace("  p:", "  §p:"),
    errors: [["llm_providers.p.secret_access_key_env", "is required with access_key_id_env"]],
  },
  {
    name: "two credentials",
    providers: provider(
      "{type: azure, model: m, max_tool_result_tokens: 1000, base_url: 'https://x', api_key_env: K, machine_credentials: §true}",
    ),
    errors: [["llm_providers.p.machine_credentials", "must not be set beside api_key_env"]],
  },
  {
    name: "azure without an address",
    providers: provider("{type: azure, model: m, max_tool_result_tokens: 1000, api_key_env: K}").replace(
      "  p:",
      "  §p:",
    ),
    errors: [["llm_providers.p.base_url", "is required for provider type azure"]],
  },
  {
    name: "Entra's address",
    providers: provider(
      "{type: azure, model: m, max_tool_result_tokens: 1000, base_url: 'https://x', authority_host: §login}",
    ),
    errors: [["llm_providers.p.authority_host", "http or https URL"]],
  },
  {
    name: "used azure without a credential",
    tarsy: "defaults: {llm_provider: p}\n",
    providers: provider(
      "{type: azure, model: m, max_tool_result_tokens: 1000, base_url: 'https://x'}",
    ).replace("  p:", "  §p:"),
    errors: [["llm_providers.p.api_key_env", "without client_secret_env and machine_credentials"]],
  },
  {
    name: "template that is not a variable",
    tarsy: "agents:\n  A:\n    custom_instructions: §{{ if .X }}yes\n",
    errors: [["", "{{ if .X }} is not understood"]],
  },
  {
    name: "template without end",
    tarsy: "agents:\n  A:\n    custom_instructions: §{{.X\n    max_iterations: 3\n",
    errors: [["", "{{.X is not understood"]],
  },
  {
    name: "template of a field",
    tarsy: "agents:\n  A: {max_iterations: §{{.A.B}} }\n",
    errors: [["", "{{.A.B}} is not understood"]],
  },
  {
    name: "template for a required name",
    tarsy:
      "agent_chains:\n  c: {alert_types: [a], stages: [{name: §{{name}}, agents: [{name: ChatAgent}]}]}\n",
    errors: [["", "{{name}} is not understood"]],
  },
  {
    name: "inserted value out of range",
    tarsy: "queue:\n  worker_count: §{{.COUNT}}\n  session_timeout: 5m\n",
    errors: [["queue.worker_count", 'COUNT is "77"']],
  },
  {
    name: "inserted value breaks the syntax",
    tarsy: 'agents:\n  A:\n    custom_instructions: "§{{.QUOTE_TOKEN}}"\n',
    errors: [["", "once QUOTE_TOKEN is inserted"]],
  },
  {
    name: "mistake after an insertion on the same line",
    tarsy: "agents:\n  A: {custom_instructions: {{.LONG}}, max_iterations: §0}\n",
    errors: [["agents.A.max_iterations", "at least 1"]],
  },
  {
    name: "mistake below an insertion of several lines",
    tarsy: "agents:\n  A: {custom_instructions: {{.LINES}} }\n  B: {max_iterations: §0}\n",
    errors: [["agents.B.max_iterations", "at least 1"]],
  },
  {
    name: "open quote",
    tarsy: 'agents:\n  A:\n    custom_instructions: §"open\n',
    errors: [["", "invalid YAML syntax"]],
  },
  {
    name: "open list",
    tarsy: "agents:\n  A: {mcp_servers: [a, b§}\n",
    errors: [["", "invalid YAML syntax"]],
  },
  {
    name: "tab as indentation",
    tarsy: "queue:\n§\tworker_count: 5\n",
    errors: [["", "invalid YAML syntax"]],
  },
  { name: "alias without anchor", tarsy: "agents:\n  A: §*nobody\n", errors: [["", "no anchor before it"]] },
  { name: "alias of itself", tarsy: "agents: &a\n  A: §*a\n", errors: [["", "contains itself"]] },
  {
    name: "second document",
    tarsy: "queue: {}\n§---\nqueue: {}\n",
    errors: [["", "more than one YAML document"]],
  },
  {
    name: "mistake in an anchor used twice",
    tarsy: "agents:\n  A: &a {max_iterations: §0}\n  B: *a\n",
    errors: [["agents.A.max_iterations", "at least 1"]],
  },
];
