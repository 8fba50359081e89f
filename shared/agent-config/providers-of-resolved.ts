import {
  withSubAgents,
  type ResolvedAgent,
  type ResolvedChain,
  type ResolvedProvider,
} from "#shared/contracts/resolved-chain.ts";

/** Every provider that the sessions of a resolved chain can call, but for its judge; one may be there several times. */
export function providersOfResolved({
  stages,
  executive_summary,
  mcp_server_summaries = {},
}: ResolvedChain): ResolvedProvider[] {
  const agents = stages.flatMap(({ agents: members, synthesis }) => [
    ...members.flatMap(withSubAgents),
    ...(synthesis === undefined ? [] : [synthesis]),
  ]);
  return [
    ...agents.flatMap(providersOfAgent),
    ...(executive_summary === undefined ? [] : providersOfAgent(executive_summary)),
    ...Object.values(mcp_server_summaries).flatMap(({ llm_provider }) => llm_provider ?? []),
  ];
}

/** An agent's own provider and those that can take over. */
export function providersOfAgent({
  llm_provider,
  fallback_providers = [],
}: Pick<ResolvedAgent, "llm_provider" | "fallback_providers">): ResolvedProvider[] {
  return [llm_provider, ...fallback_providers];
}
