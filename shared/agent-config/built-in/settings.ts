/** What holds where nothing is written, as it would be written. */
export const BUILT_IN_SETTINGS = {
  queue: {
    worker_count: 5,
    max_concurrent_sessions: 5,
    max_parallel_agents: 5,
    session_timeout: "15m",
    poll_interval: "1s",
    poll_interval_jitter: "500ms",
    graceful_shutdown_timeout: "15m",
    orphan_detection_interval: "5m",
    orphan_threshold: "5m",
    heartbeat_interval: "30s",
  },
  defaults: {
    alert_type: "kubernetes",
    max_iterations: 20,
    iteration_timeout: "120s",
    iteration_strategy: "single-call",
    success_policy: "any",
  },
  /** A script answers by itself; these only fill the provider's fields. */
  scripted: { model: "scripted", max_tool_result_tokens: 250_000 },
} as const;
