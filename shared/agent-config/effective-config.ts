import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { redactSecrets } from "#shared/agent-config/redact-secrets.ts";

/** The effective configuration under the files' own keys, durations as text, secrets redacted. */
export function effectiveConfig(config: AgentConfig): unknown {
  const effective = {
    queue: withDurations(config.queue),
    defaults: withDurations(config.defaults),
    mcp_servers: Object.fromEntries(config.mcpServers),
    agents: Object.fromEntries(config.agents),
    agent_chains: Object.fromEntries(config.chains),
    llm_providers: Object.fromEntries(config.llmProviders),
  };
  return redactSecrets(effective, config.origins);
}

/** Settings in the files' own keys; milliseconds become a duration in seconds. */
function withDurations(settings: object): Record<string, unknown> {
  const entries = Object.entries(settings).map(([key, value]): [string, unknown] =>
    key.endsWith("_ms") ? [key.slice(0, -"_ms".length), `${Number(value) / 1000}s`] : [key, value],
  );
  return Object.fromEntries(entries);
}
