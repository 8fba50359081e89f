import type { ModelSettings } from "#shared/cassette/recorded-calls.ts";
import type { ResolvedProvider } from "#shared/contracts/resolved-chain.ts";
import type { LlmInteraction } from "#shared/database/tables/llm-interactions.ts";
import type { ConfiguredAgent } from "./session-agents.ts";

/** What a recorded call said of its model; null if the configuration has no such provider. */
export function modelOfCall(
  configured: ConfiguredAgent,
  { interaction_type, model_name }: Pick<LlmInteraction, "interaction_type" | "model_name">,
  providerName: string | undefined,
): ModelSettings | null {
  const provider = candidates(configured, interaction_type).find(
    ({ name, model }) => model === model_name && (providerName === undefined || name === providerName),
  );
  if (provider === undefined) return null;
  return {
    provider: provider.name,
    type: provider.type,
    backend: provider.backend,
    model: provider.model,
    max_tool_result_tokens: provider.max_tool_result_tokens,
    max_output_tokens: provider.max_output_tokens ?? 0,
    // A summary is asked for without the tools that a provider runs itself.
    native_tools: interaction_type === "summarization" ? {} : provider.native_tools,
  };
}

/** The providers that can have answered such a call, in the order in which they are asked. */
function candidates(
  { agent, chain }: ConfiguredAgent,
  type: LlmInteraction["interaction_type"],
): readonly ResolvedProvider[] {
  const own = agent === undefined ? [] : [agent.llm_provider, ...(agent.fallback_providers ?? [])];
  if (type === "executive_summary") {
    const { executive_summary: summary } = chain;
    return [
      ...(summary === undefined ? [] : [summary.llm_provider, ...(summary.fallback_providers ?? [])]),
      ...own,
    ];
  }
  if (type !== "summarization") return own;
  const named = Object.values(chain.mcp_server_summaries ?? {}).flatMap(
    ({ llm_provider }) => llm_provider ?? [],
  );
  return [...named, ...own];
}
