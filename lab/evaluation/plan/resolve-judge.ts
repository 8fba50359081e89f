import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveScoring } from "#shared/agent-config/resolve-scoring.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";

/**
 * The judge of all cells of a suite: the built-in one or that of the defaults, on one provider without another that takes over, so
 * that scores can be compared. Throws TerminalError `invalid_configuration` for an unknown provider.
 */
export function resolveJudge(
  config: Pick<AgentConfig, "agents" | "defaults" | "llmProviders">,
  provider: string,
): ResolvedAgent {
  return resolveScoring(config, {
    alert_types: [],
    stages: [],
    scoring: { llm_provider: provider },
    fallback_providers: [],
  });
}
