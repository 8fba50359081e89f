import { brokenRows, type BrokenFile } from "./broken-file.ts";
import { DEFAULTS } from "./config-fixture.ts";

const QUEUE = String.raw`
worker_count: -1                         | worker_count               | from 1 to 50                                 | worker_count: §-1
worker_count: 51                         | worker_count               | from 1 to 50                                 | worker_count: §51
worker_count: "5"                        | worker_count               | whole number                                 | worker_count: §"5"
worker_count: 2.5                        | worker_count               | whole number                                 | worker_count: §2.5
worker_count: [1]                        | worker_count               | found a list                                 | worker_count: §[1]
max_concurrent_sessions: -1              | max_concurrent_sessions    | at least 1                                   | max_concurrent_sessions: §-1
max_concurrent_followups: 0              | max_concurrent_followups   | at least 1                                   | max_concurrent_followups: §0
max_parallel_agents: 0                   | max_parallel_agents        | at least 1                                   | max_parallel_agents: §0
session_timeout: -5m                     | session_timeout            | above zero                                   | session_timeout: §-5m
session_timeout: 15                      | session_timeout            | must be a duration                           | session_timeout: §15
session_timeout: 15 minutes              | session_timeout            | write it like                                | session_timeout: §15 minutes
session_timeout: 1000h                   | session_timeout            | at most 576h                                 | session_timeout: §1000h
graceful_shutdown_timeout: -1s           | graceful_shutdown_timeout  | zero or more                                 | graceful_shutdown_timeout: §-1s
orphan_detection_interval: soon          | orphan_detection_interval  | must be a duration                           | orphan_detection_interval: §soon
heartbeat_interval: 5m                   | heartbeat_interval         | shorter than orphan_threshold (by default 5m) | heartbeat_interval: §5m
orphan_threshold: 30s                    | orphan_threshold           | longer than heartbeat_interval (by default 30s) | orphan_threshold: §30s
poll_interval: 500ms                     | poll_interval              | longer than poll_interval_jitter (by default 500ms) | poll_interval: §500ms
poll_interval_jitter: 1s                 | poll_interval_jitter       | shorter than poll_interval (by default 1s)   | poll_interval_jitter: §1s
poll_interval_jitter: -1ms               | poll_interval_jitter       | zero or more                                 | poll_interval_jitter: §-1ms
`;
const FILES = String.raw`
a default runbook that may not be fetched                  | defaults.runbook                     | must use https                         | system: {runbooks: {allowed_domains: [git.example.com]}}\ndefaults:\n  llm_provider: test\n  runbook: §http://git.example.com/a.md
a list of runbooks elsewhere than on GitHub                | system.runbooks.repo_url             | must be an https address of github.com | system:\n  runbooks:\n    repo_url: §https://gitlab.com/acme/runbooks
a list of runbooks of a branch whose name is no single one | system.runbooks.repo_url             | /tree/BRANCH/DIRECTORY                 | system:\n  runbooks:\n    repo_url: §https://github.com/acme/runbooks/blob/main/a.md
a list of runbooks that may not be fetched                 | system.runbooks.repo_url             | allowed: git.example.com               | system:\n  runbooks:\n    allowed_domains: [git.example.com]\n    repo_url: §https://github.com/acme/runbooks
a server with the reserved id                              | mcp_servers.tarsy                    | reserved for the built-in tools        | mcp_servers: {§tarsy: {transport: {type: stdio, command: run}}}
a server id with a separator: kube.prod                    | mcp_servers["kube.prod"]             | without dots and double underscores    | mcp_servers: {§kube.prod: {transport: {type: stdio, command: run}}}
a server id with a separator: kube__prod                   | mcp_servers.kube__prod               | without dots and double underscores    | mcp_servers: {§kube__prod: {transport: {type: stdio, command: run}}}
a webhook of PagerDuty without a secret                    | system.webhooks.pagerduty.secret_env | is required                            | system:\n  webhooks:\n    §pagerduty: {}
queue is a list                                            | queue                                | a mapping                              | queue: §[1]
top is a list                                              |                                      | mapping at the top                     | §- a
top is text                                                |                                      | mapping at the top                     | §hello
default provider unknown                                   | defaults.llm_provider                | did you mean test?                     | defaults:\n  llm_provider: §tset
default provider missing                                   | defaults.llm_provider                | is required                            | §defaults:\n  max_iterations: 3
agent's server                                             | agents.A.mcp_servers[1]              | did you mean kubernetes-server?        | agents:\n  A:\n    mcp_servers:\n      - kubernetes-server\n      - §kubernetes-srver
agent's servers as text                                    | agents.A.mcp_servers                 | must be a list                         | agents:\n  A: {mcp_servers: §kubernetes-server}
agent's strategy                                           | agents.A.iteration_strategy          | found 5                                | agents:\n  A: {iteration_strategy: §5}
agent's iterations                                         | agents.A.max_iterations              | at least 1                             | agents:\n  A: {max_iterations: §-1}
agents is a list                                           | agents                               | must be a mapping                      | agents: §[A]
agent given twice                                          | agents.A                             | given twice                            | agents:\n  A: {}\n  §A: {}
server without transport                                   | mcp_servers.s.transport              | is required                            | mcp_servers:\n  §s:\n    instructions: x
`;
const IN_DEFAULTS = String.raw`
default strategy                                          | iteration_strategy                    | did you mean react?             | iteration_strategy: §reakt
default iterations                                        | max_iterations                        | at least 1                      | max_iterations: §0
default timeout                                           | iteration_timeout                     | above zero                      | iteration_timeout: §0s
default policy                                            | success_policy                        | allowed: all, any               | success_policy: §some
default alert type                                        | alert_type                            | did you mean kubernetes?        | alert_type: §kubernets
masking group of alerts                                   | alert_masking.pattern_group           | did you mean secrets?           | alert_masking: {pattern_group: §secret}
the size of summaries in the defaults                     | summarization.size_threshold_tokens   | must not be set in the defaults | summarization: {size_threshold_tokens: §5000}
the limit of summaries in the defaults                    | summarization.summary_max_token_limit | must not be set in the defaults | summarization: {llm_provider: test, summary_max_token_limit: §500}
a backend in the defaults of summaries without a provider | summarization.llm_backend             | needs llm_provider beside it    | summarization: {llm_backend: §langchain}
a provider for summaries without its key                  | summarization.llm_provider            | needs XAI_API_KEY to be set     | summarization: {llm_provider: §xai-default}
`;
/** Of a server. */
const TRANSPORTS = String.raw`
transport type        | transport.type       | did you mean http?                   | transport: {type: §htp, url: http://x}
stdio without command | transport.command    | is required for transport type stdio | §transport: {type: stdio}
http without url      | transport.url        | is required for transport type http  | §transport: {type: http}
invalid url           | transport.url        | http or https URL                    | transport: {type: sse, url: §example}
transport timeout     | transport.timeout    | at least 1                           | transport: {type: stdio, command: x, timeout: §-1}
verify_ssl            | transport.verify_ssl | true or false                        | transport: {type: http, url: "http://x", verify_ssl: §maybe}
`;
/** Of a server that has a transport. */
const SERVERS = String.raw`
masking pattern                                          | data_masking.patterns[2]                    | did you mean kubernetes_secret?            | data_masking: {enabled: true, patterns: [token, kubernetes_secret, §kubernetes_secrets]}
masking without enabled                                  | data_masking.pattern_groups[0]              | did you mean kubernetes?                   | data_masking: {pattern_groups: [§kubernets]}
custom pattern without replacement                       | data_masking.custom_patterns[0].replacement | is required                                | data_masking: {enabled: true, custom_patterns: [§{pattern: x}]}
custom masking pattern                                   | data_masking.custom_patterns[1].pattern     | found '(a'; missing closing )              | data_masking: {enabled: true, custom_patterns: [{pattern: '(?i)ok', replacement: x}, {pattern: §'(a', replacement: x}]}
a block alone switches summaries on                      | summarization.size_threshold_tokens         | at least 100                               | summarization: {size_threshold_tokens: §99}
a provider for summaries that are switched off           | summarization.llm_provider                  | must not be set where enabled is false     | summarization: {enabled: false, llm_provider: §test}
a backend for summaries without a provider               | summarization.llm_backend                   | needs llm_provider beside it               | summarization: {llm_backend: §langchain}
a backend for summaries that does not serve the provider | summarization.llm_backend                   | must not be set for provider type scripted | summarization: {llm_provider: test, llm_backend: §langchain}
an unknown provider for summaries                        | summarization.llm_provider                  | must be a known LLM provider               | summarization: {llm_provider: §tset}
summarization limit                                      | summarization.summary_max_token_limit       | 0 (the threshold) or at least 50           | summarization: {enabled: true, size_threshold_tokens: 100, summary_max_token_limit: §49}
`;
const SERVER = "mcp_servers:\n  s:\n    ";

/** Queue, defaults, agents and MCP servers with one mistake each. */
export const BROKEN_SETTINGS: readonly BrokenFile[] = [
  ...brokenRows(QUEUE, (line) => ({ tarsy: `queue:\n  ${line}\n` }), "queue."),
  ...brokenRows(FILES, (text) => ({ tarsy: `${text}\n` })),
  ...brokenRows(IN_DEFAULTS, (line) => ({ tarsy: `${DEFAULTS}  ${line}\n` }), "defaults."),
  ...brokenRows(TRANSPORTS, (line) => ({ tarsy: `${SERVER}${line}\n` }), "mcp_servers.s."),
  ...brokenRows(
    SERVERS,
    (line) => ({ tarsy: `${SERVER}transport: {type: stdio, command: run}\n    ${line}\n` }),
    "mcp_servers.s.",
  ),
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
];
