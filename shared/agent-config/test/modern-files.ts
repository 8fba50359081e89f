import { skillFile } from "./config-fixture.ts";

/** A configuration in the newest notation of the format: backends instead of strategies, and every feature's keys. */
export const MODERN_TARSY = `
system:
  dashboard_url: https://tarsy.example.com
  allowed_ws_origins: ["https://tarsy.example.com"]
  github: {token_env: GITHUB_TOKEN}
  runbooks:
    repo_url: https://github.com/example/runbooks/tree/main/alerts
    cache_ttl: 1m
    allowed_domains: [github.com]
  slack: {enabled: false, token_env: SLACK_BOT_TOKEN, channel: C1}
  retention: {session_retention_days: 365}
  cost_estimation: {enabled: false, model_rates: {m: {input_per_million: 1.5, output_per_million: 9}}}
queue:
  worker_count: 5
  session_timeout: 40m
  scoring_shutdown_timeout: 3m
defaults:
  llm_provider: gemini
  llm_backend: google-native
  max_iterations: 20
  alert_type: kubernetes
  fallback_providers:
    - {provider: claude, backend: langchain}
  orchestrator: {max_concurrent_agents: 5, agent_timeout: 420s, max_budget: 900s}
  scoring: {enabled: true, agent: ScoringAgent, llm_provider: claude, llm_backend: langchain}
  memory:
    enabled: true
    max_inject: 5
    reflector_memory_limit: 20
    embedding: {provider: google, model: gemini-embedding-2-preview, api_key_env: GOOGLE_API_KEY, dimensions: 768}
mcp_servers:
  metrics:
    transport: {type: http, url: "https://metrics.example.com/mcp", custom_headers: {X-Session: "{{.SESSION_ID}}"}}
    summarization: {size_threshold_tokens: 4000}
agents:
  Investigator:
    description: Looks at metrics
    mcp_servers: [metrics]
    llm_backend: langchain
    skills: [promql]
    required_skills: [house-rules]
  Searcher:
    description: Searches the web
    llm_backend: google-native
    native_tools: {google_search: true, url_context: true, code_execution: false}
  Thinker: {description: Thinks, custom_instructions: Think first.}
  Commander: {type: synthesis}
  Fixer: {type: action, mcp_servers: [metrics]}
  Lead:
    mcp_servers: [metrics]
    orchestrator: {max_concurrent_agents: 2}
  Judge: {type: scoring}
agent_chains:
  full:
    alert_types: [Full]
    llm_backend: google-native
    executive_summary_provider: claude
    fallback_providers: []
    scoring: {enabled: false}
    chat: {enabled: true, llm_provider: claude, llm_backend: langchain, max_iterations: 10, sub_agents: [Searcher]}
    sub_agents: [Searcher, {name: Thinker, max_iterations: 3, llm_backend: langchain, mcp_servers: [], skills: []}]
    stages:
      - name: investigate
        agents:
          - {name: Investigator, llm_provider: claude, llm_backend: langchain, skills: [logs]}
          - {name: Searcher}
          - {name: Thinker, sub_agents: []}
        synthesis: {agent: Commander, llm_backend: google-native}
      - name: lead
        sub_agents: [Investigator]
        agents: [{name: Lead, mcp_servers: []}]
      - name: fix
        agents: [{name: Fixer, type: action, fallback_providers: [{provider: claude}]}]
        synthesis: {agent: Commander}
  kubernetes-agent-chain:
    alert_types: [kubernetes]
    stages: [{name: analysis, agents: [{name: Investigator}]}]
`;

/** Providers without a limit for tool results. */
export const MODERN_PROVIDERS = `
llm_providers:
  gemini:
    type: google
    model: gemini-3.7-flash
    api_key_env: GOOGLE_API_KEY
    native_tools: {google_search: false, code_execution: true}
  claude: {type: anthropic, model: claude-sonnet-5, api_key_env: ANTHROPIC_API_KEY}
`;

/** The providers that such files name without writing them: the type and the model of each. */
export const MODERN_PROVIDER_NAMES = {
  "google-default": ["google", "gemini-3.7-flash"],
  "gemini-3.7-flash": ["google", "gemini-3.7-flash"],
  "gemini-3.6-flash": ["google", "gemini-3.6-flash"],
  "gemini-3.5-flash": ["google", "gemini-3.5-flash"],
  "gemini-3.1-pro": ["google", "gemini-3.1-pro-preview"],
  "gemini-3.1-flash": ["google", "gemini-3.1-flash-lite"],
  "gemini-3-flash": ["google", "gemini-3-flash-preview"],
  "gemini-2.5-flash": ["google", "gemini-2.5-flash"],
  "gemini-2.5-pro": ["google", "gemini-2.5-pro"],
  "google-image-flash": ["google", "gemini-3.1-flash-image"],
  "openai-default": ["openai", "gpt-5.2"],
  "anthropic-default": ["anthropic", "claude-sonnet-5"],
  "xai-default": ["xai", "grok-4.6"],
  "vertexai-default": ["vertexai", "claude-sonnet-5"],
} as const;

/** The files of the skills that it names. */
export const MODERN_SKILLS = Object.fromEntries(
  ["promql", "house-rules", "logs"].map((name) => [`skills/${name}.md`, skillFile(name)]),
);
