/** A realistic configuration that uses every feature of the files. */
export const TYPICAL_TARSY = `
queue:
  worker_count: 8
  max_concurrent_sessions: 20
  poll_interval: 2s
  poll_interval_jitter: 0
  session_timeout: 30m
  graceful_shutdown_timeout: 30m
  orphan_detection_interval: 5m
  orphan_threshold: 5m
  heartbeat_interval: 1m30s

defaults:
  llm_provider: gemini-2.5-flash
  max_iterations: 25
  iteration_strategy: react
  success_policy: any
  alert_type: kubernetes

mcp_servers:
  kubernetes-server:
    transport:
      type: stdio
      command: npx
      args: [-y, kubernetes-mcp-server@0.0.54, --read-only, --port, 8080, --kubeconfig, "{{.KUBECONFIG}}"]
    instructions: |
      # Kubernetes
      Prefer namespaced queries: {{"{{"}} is no template here.
    data_masking: &masking
      enabled: yes
      pattern_groups: [kubernetes, basic]
      patterns: [certificate, token]
      custom_patterns:
        - pattern: 'account-\\d+'
          replacement: __MASKED_ACCOUNT__
          description: account numbers
    summarization: {enabled: true, size_threshold_tokens: 5_000, summary_max_token_limit: 0}
  argocd-server:
    transport:
      type: http
      url: https://argocd.example.com/mcp
      bearer_token: {{.ARGOCD_TOKEN}}
      verify_ssl: {{ .ARGOCD_VERIFY }}
      timeout: 60
    instructions: Look at applications before resources.
    data_masking:
      <<: *masking
      enabled: false
  monitoring-server:
    transport: {type: sse, url: "http://user:hush@monitoring.example.com:9090/sse", bearer_token: hush-too}

agents:
  security-agent:
    mcp_servers: [kubernetes-server, monitoring-server]
    custom_instructions: |
      Look for signs of intrusion.
    max_iterations: 30
  performance-agent:
    mcp_servers: [monitoring-server]
    iteration_strategy: native-thinking
  argocd-agent:
    mcp_servers: [argocd-server]

agent_chains:
  kubernetes-agent-chain:
    alert_types: [kubernetes, NamespaceTerminating]
    stages:
      - {name: analysis, agents: [{name: KubernetesAgent}]}
  crash-loops:
    alert_types: [PodCrashLooping, "OOM Killed"]
    description: Pods that restart again and again
    llm_provider: gemini-2.5-pro
    max_iterations: 15
    stages:
      - name: data-collection
        agents: [{name: KubernetesAgent, max_iterations: 10}]
      - name: diagnosis
        agents:
          - name: performance-agent
            llm_provider: gemini-3-pro-preview
            mcp_servers: [kubernetes-server, monitoring-server]
    chat:
      enabled: true
      agent: ChatAgent
      iteration_strategy: react
      mcp_servers: [kubernetes-server]
      max_iterations: 5
  comprehensive:
    alert_types: [ServiceDown]
    mcp_servers: [kubernetes-server]
    stages:
      - name: parallel-investigation
        agents:
          - {name: KubernetesAgent}
          - {name: performance-agent, iteration_strategy: react}
          - {name: argocd-agent}
        success_policy: all
        synthesis:
          agent: SynthesisAgent
          iteration_strategy: synthesis-native-thinking
          llm_provider: gemini-2.5-pro
      - name: confirmation
        replicas: 0
        agents: [{name: argocd-agent}]
  replicas:
    alert_types: [Flapping]
    stages:
      - name: consensus
        replicas: 3
        max_iterations: 8
        mcp_servers: [kubernetes-server]
        agents: [{name: KubernetesAgent}]
  security:
    alert_types: [SuspiciousProcess]
    chat: {enabled: false}
    stages:
      - {name: triage, agents: [{name: security-agent}]}
`;

export const TYPICAL_PROVIDERS = `
llm_providers:
  google-default: &google
    type: google
    model: gemini-2.5-pro
    api_key_env: GOOGLE_API_KEY
    max_tool_result_tokens: 950000
    native_tools: {google_search: true, code_execution: false, url_context: true}
  gemini-2.5-flash:
    <<: *google
    model: gemini-2.5-flash
  gemini-2.5-pro: *google
  gemini-3-pro-preview:
    <<: *google
    model: gemini-3-pro-preview
  openai-gpt-4o: {type: openai, model: gpt-4o, api_key_env: OPENAI_API_KEY, max_tool_result_tokens: 100000}
  openai-o1: {type: openai, model: o1, api_key_env: OPENAI_API_KEY, max_tool_result_tokens: 180000}
  claude: {type: anthropic, model: claude-sonnet-4-20250514, api_key_env: ANTHROPIC_API_KEY, max_tool_result_tokens: 150000}
  grok: {type: xai, model: grok-4, api_key_env: XAI_API_KEY, max_tool_result_tokens: 200000}
  vertex:
    type: vertexai
    model: claude-sonnet-4-5@20250929
    credentials_env: GOOGLE_APPLICATION_CREDENTIALS
    project_env: GOOGLE_CLOUD_PROJECT
    location_env: GOOGLE_CLOUD_LOCATION
    max_tool_result_tokens: 150000
  azure:
    type: openai
    model: gpt-4o
    api_key_env: AZURE_OPENAI_API_KEY
    base_url: https://example.openai.azure.com/openai/deployments/gpt-4o
    max_tool_result_tokens: 100000
  proxy: {type: openai, model: gpt-4o, base_url: "http://proxy.example.com:8080/v1", max_tool_result_tokens: 100000}
`;
