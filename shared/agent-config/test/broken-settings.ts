import type { BrokenFile } from "./broken-file.ts";
import { DEFAULTS } from "./config-fixture.ts";

const server = (body: string) => `mcp_servers:\n  s:\n${body.replaceAll(/^/gmu, "    ")}\n`;
const stdio = "transport: {type: stdio, command: run}\n";

const queue = (line: string, says: string): BrokenFile => {
  const key = line.slice(0, line.indexOf(":"));
  return {
    name: `queue ${line.replace("§", "")}`,
    tarsy: `queue:\n  ${line}\n`,
    errors: [[`queue.${key}`, says]],
  };
};

/** Queue, defaults, agents and MCP servers with one mistake each. */
export const BROKEN_SETTINGS: readonly BrokenFile[] = [
  queue("worker_count: §-1", "from 1 to 50"),
  queue("worker_count: §51", "from 1 to 50"),
  queue('worker_count: §"5"', "whole number"),
  queue("worker_count: §2.5", "whole number"),
  queue("worker_count: §[1]", "found a list"),
  queue("max_concurrent_sessions: §-1", "at least 1"),
  queue("max_concurrent_followups: §0", "at least 1"),
  queue("max_parallel_agents: §0", "at least 1"),
  queue("session_timeout: §-5m", "above zero"),
  queue("session_timeout: §15", "must be a duration"),
  queue("session_timeout: §15 minutes", "write it like"),
  queue("session_timeout: §1000h", "at most 576h"),
  queue("graceful_shutdown_timeout: §-1s", "zero or more"),
  queue("orphan_detection_interval: §soon", "must be a duration"),
  queue("heartbeat_interval: §5m", "shorter than orphan_threshold (by default 5m)"),
  queue("orphan_threshold: §30s", "longer than heartbeat_interval (by default 30s)"),
  queue("poll_interval: §500ms", "longer than poll_interval_jitter (by default 500ms)"),
  queue("poll_interval_jitter: §1s", "shorter than poll_interval (by default 1s)"),
  queue("poll_interval_jitter: §-1ms", "zero or more"),
  {
    name: "a default runbook that may not be fetched",
    tarsy:
      "system: {runbooks: {allowed_domains: [git.example.com]}}\ndefaults:\n  llm_provider: test\n  runbook: §http://git.example.com/a.md\n",
    errors: [["defaults.runbook", "must use https"]],
  },
  {
    name: "a list of runbooks elsewhere than on GitHub",
    tarsy: "system:\n  runbooks:\n    repo_url: §https://gitlab.com/acme/runbooks\n",
    errors: [["system.runbooks.repo_url", "must be an https address of github.com"]],
  },
  {
    name: "a list of runbooks of a branch whose name is no single one",
    tarsy: "system:\n  runbooks:\n    repo_url: §https://github.com/acme/runbooks/blob/main/a.md\n",
    errors: [["system.runbooks.repo_url", "/tree/BRANCH/DIRECTORY"]],
  },
  {
    name: "a list of runbooks that may not be fetched",
    tarsy:
      "system:\n  runbooks:\n    allowed_domains: [git.example.com]\n    repo_url: §https://github.com/acme/runbooks\n",
    errors: [["system.runbooks.repo_url", "allowed: git.example.com"]],
  },
  {
    name: "a server with the reserved id",
    tarsy: "mcp_servers: {§tarsy: {transport: {type: stdio, command: run}}}\n",
    errors: [["mcp_servers.tarsy", "reserved for the built-in tools"]],
  },
  ...(
    [
      ["kube.prod", 'mcp_servers["kube.prod"]'],
      ["kube__prod", "mcp_servers.kube__prod"],
    ] as const
  ).map(([id, path]) => ({
    name: `a server id with a separator: ${id}`,
    tarsy: `mcp_servers: {§${id}: {transport: {type: stdio, command: run}}}\n`,
    errors: [[path, "without dots and double underscores"] as const],
  })),
  {
    name: "a webhook with an unknown alert type and no matcher",
    tarsy:
      "system:\n  webhooks:\n    raw:\n      alert_type: §kubernets\n      alert_types:\n        - match: [§severity, §'a=~\"(\"']\n          alert_type: kubernetes\n",
    errors: [
      ["system.webhooks.raw.alert_type", "did you mean kubernetes?"],
      ["system.webhooks.raw.alert_types[0].match[0]", "must be a matcher such as"],
      ["system.webhooks.raw.alert_types[0].match[1]", "expression that can be compiled"],
    ],
  },
  { name: "queue is a list", tarsy: "queue: §[1]\n", errors: [["queue", "a mapping"]] },
  { name: "top is a list", tarsy: "§- a\n", errors: [["", "mapping at the top"]] },
  { name: "top is text", tarsy: "§hello\n", errors: [["", "mapping at the top"]] },
  {
    name: "default provider unknown",
    tarsy: "defaults:\n  llm_provider: §tset\n",
    errors: [["defaults.llm_provider", "did you mean test?"]],
  },
  {
    name: "default provider missing",
    tarsy: "§defaults:\n  max_iterations: 3\n",
    errors: [["defaults.llm_provider", "is required"]],
  },
  {
    name: "default strategy",
    tarsy: `${DEFAULTS}  iteration_strategy: §reakt\n`,
    errors: [["defaults.iteration_strategy", "did you mean react?"]],
  },
  {
    name: "default iterations",
    tarsy: `${DEFAULTS}  max_iterations: §0\n`,
    errors: [["defaults.max_iterations", "at least 1"]],
  },
  {
    name: "default timeout",
    tarsy: `${DEFAULTS}  iteration_timeout: §0s\n`,
    errors: [["defaults.iteration_timeout", "above zero"]],
  },
  {
    name: "default policy",
    tarsy: `${DEFAULTS}  success_policy: §some\n`,
    errors: [["defaults.success_policy", "allowed: all, any"]],
  },
  {
    name: "default alert type",
    tarsy: `${DEFAULTS}  alert_type: §kubernets\n`,
    errors: [["defaults.alert_type", "did you mean kubernetes?"]],
  },
  {
    name: "agent's server",
    tarsy: "agents:\n  A:\n    mcp_servers:\n      - kubernetes-server\n      - §kubernetes-srver\n",
    errors: [["agents.A.mcp_servers[1]", "did you mean kubernetes-server?"]],
  },
  {
    name: "agent's servers as text",
    tarsy: "agents:\n  A: {mcp_servers: §kubernetes-server}\n",
    errors: [["agents.A.mcp_servers", "must be a list"]],
  },
  {
    name: "agent's strategy",
    tarsy: "agents:\n  A: {iteration_strategy: §5}\n",
    errors: [["agents.A.iteration_strategy", "found 5"]],
  },
  {
    name: "agent's iterations",
    tarsy: "agents:\n  A: {max_iterations: §-1}\n",
    errors: [["agents.A.max_iterations", "at least 1"]],
  },
  { name: "agents is a list", tarsy: "agents: §[A]\n", errors: [["agents", "must be a mapping"]] },
  { name: "agent given twice", tarsy: "agents:\n  A: {}\n  §A: {}\n", errors: [["agents.A", "given twice"]] },
  {
    name: "server without transport",
    tarsy: server("§instructions: x").replace("  s:", "  §s:").replace("§instructions", "instructions"),
    errors: [["mcp_servers.s.transport", "is required"]],
  },
  {
    name: "transport type",
    tarsy: server("transport: {type: §htp, url: http://x}"),
    errors: [["mcp_servers.s.transport.type", "did you mean http?"]],
  },
  {
    name: "stdio without command",
    tarsy: server("§transport: {type: stdio}"),
    errors: [["mcp_servers.s.transport.command", "is required for transport type stdio"]],
  },
  {
    name: "http without url",
    tarsy: server("§transport: {type: http}"),
    errors: [["mcp_servers.s.transport.url", "is required for transport type http"]],
  },
  {
    name: "invalid url",
    tarsy: server("transport: {type: sse, url: §example}"),
    errors: [["mcp_servers.s.transport.url", "http or https URL"]],
  },
  {
    name: "transport timeout",
    tarsy: server("transport: {type: stdio, command: x, timeout: §-1}"),
    errors: [["mcp_servers.s.transport.timeout", "at least 1"]],
  },
  {
    name: "verify_ssl",
    tarsy: server('transport: {type: http, url: "http://x", verify_ssl: §maybe}'),
    errors: [["mcp_servers.s.transport.verify_ssl", "true or false"]],
  },
  {
    name: "masking group",
    tarsy: server(`${stdio}data_masking: {enabled: true, pattern_groups: [§kubernets]}`),
    errors: [["mcp_servers.s.data_masking.pattern_groups[0]", "did you mean kubernetes?"]],
  },
  {
    name: "masking pattern",
    tarsy: server(
      `${stdio}data_masking: {enabled: true, patterns: [token, kubernetes_secret, §kubernetes_secrets]}`,
    ),
    errors: [["mcp_servers.s.data_masking.patterns[2]", "did you mean kubernetes_secret?"]],
  },
  {
    name: "masking without enabled",
    tarsy: server(`${stdio}data_masking: {pattern_groups: [§kubernets]}`),
    errors: [["mcp_servers.s.data_masking.pattern_groups[0]", "did you mean kubernetes?"]],
  },
  {
    name: "masking group of alerts",
    tarsy: `${DEFAULTS}  alert_masking: {pattern_group: §secret}\n`,
    errors: [["defaults.alert_masking.pattern_group", "did you mean secrets?"]],
  },
  {
    name: "custom pattern without replacement",
    tarsy: server(`${stdio}data_masking: {enabled: true, custom_patterns: [§{pattern: x}]}`),
    errors: [["mcp_servers.s.data_masking.custom_patterns[0].replacement", "is required"]],
  },
  {
    name: "custom masking pattern",
    tarsy: server(
      `${stdio}data_masking: {enabled: true, custom_patterns: [{pattern: '(?i)ok', replacement: x}, {pattern: §'(a', replacement: x}]}`,
    ),
    errors: [["mcp_servers.s.data_masking.custom_patterns[1].pattern", "found '(a'; missing closing )"]],
  },
  {
    name: "a block alone switches summaries on",
    tarsy: server(`${stdio}summarization: {size_threshold_tokens: §99}`),
    errors: [["mcp_servers.s.summarization.size_threshold_tokens", "at least 100"]],
  },
  {
    name: "a provider for summaries that are switched off",
    tarsy: server(`${stdio}summarization: {enabled: false, llm_provider: §test}`),
    errors: [["mcp_servers.s.summarization.llm_provider", "must not be set where enabled is false"]],
  },
  {
    name: "a backend for summaries without a provider",
    tarsy: server(`${stdio}summarization: {llm_backend: §langchain}`),
    errors: [["mcp_servers.s.summarization.llm_backend", "needs llm_provider beside it"]],
  },
  {
    name: "a backend for summaries that does not serve the provider",
    tarsy: server(`${stdio}summarization: {llm_provider: test, llm_backend: §langchain}`),
    errors: [["mcp_servers.s.summarization.llm_backend", "must not be set for provider type scripted"]],
  },
  {
    name: "an unknown provider for summaries",
    tarsy: server(`${stdio}summarization: {llm_provider: §tset}`),
    errors: [["mcp_servers.s.summarization.llm_provider", "must be a known LLM provider"]],
  },
  {
    name: "the size of summaries in the defaults",
    tarsy: `defaults:\n  llm_provider: test\n  summarization: {size_threshold_tokens: §5000}\n`,
    errors: [["defaults.summarization.size_threshold_tokens", "must not be set in the defaults"]],
  },
  {
    name: "the limit of summaries in the defaults",
    tarsy: `defaults:\n  llm_provider: test\n  summarization: {llm_provider: test, summary_max_token_limit: §500}\n`,
    errors: [["defaults.summarization.summary_max_token_limit", "must not be set in the defaults"]],
  },
  {
    name: "a backend in the defaults of summaries without a provider",
    tarsy: `defaults:\n  llm_provider: test\n  summarization: {llm_backend: §langchain}\n`,
    errors: [["defaults.summarization.llm_backend", "needs llm_provider beside it"]],
  },
  {
    name: "a provider for summaries without its key",
    tarsy: `defaults:\n  llm_provider: test\n  summarization: {llm_provider: §xai-default}\n`,
    errors: [["defaults.summarization.llm_provider", "needs XAI_API_KEY to be set"]],
  },
  {
    name: "summarization threshold",
    tarsy: server(`${stdio}summarization: {enabled: true, size_threshold_tokens: §99}`),
    errors: [["mcp_servers.s.summarization.size_threshold_tokens", "at least 100"]],
  },
  {
    name: "summarization limit",
    tarsy: server(
      `${stdio}summarization: {enabled: true, size_threshold_tokens: 100, summary_max_token_limit: §49}`,
    ),
    errors: [["mcp_servers.s.summarization.summary_max_token_limit", "0 (the threshold) or at least 50"]],
  },
];
