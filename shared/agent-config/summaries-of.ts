import { DEFAULT_RESULT_TOKENS } from "#shared/contracts/result-sizes.ts";
import type { ResolvedSummaries } from "#shared/contracts/resolved-chain.ts";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { resolveProvider } from "#shared/agent-config/resolve-provider.ts";

const DEFAULT_MAX_TOKENS = 1_000;

/** The rules by which large results of a server are summarized; undefined if they are not. */
export function summariesOf(
  config: Pick<AgentConfig, "defaults" | "llmProviders" | "mcpServers">,
  id: string,
): ResolvedSummaries | undefined {
  const ofServer = config.mcpServers.get(id)?.summarization;
  if (ofServer === undefined || ofServer.enabled === false) return undefined;
  const threshold_tokens = ofServer.size_threshold_tokens ?? DEFAULT_RESULT_TOKENS;
  const limit = ofServer.summary_max_token_limit ?? DEFAULT_MAX_TOKENS;
  const { llm_provider: name, llm_backend: backend } =
    ofServer.llm_provider === undefined ? (config.defaults.summarization ?? {}) : ofServer;
  return {
    threshold_tokens,
    max_tokens: limit === 0 ? threshold_tokens : limit,
    ...(name === undefined ? {} : { llm_provider: resolveProvider(config, name, { backend }) }),
  };
}
