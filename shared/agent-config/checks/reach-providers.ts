import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import type { Target } from "#shared/agent-config/reporter.ts";
import type { Loose } from "#shared/agent-config/schemas/loose.ts";
import type { ChainEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

/** Which providers chains can come to use. */
export interface Reach {
  /** By provider name: the chains, and where the name is written that leads there first. */
  readonly providers: ReadonlyMap<string, { readonly chainIds: Set<string>; readonly reference: Target }>;
  /** Chains in which something has no provider at all. */
  readonly chainsWithout: readonly string[];
}

/** Follows every chain's stage agents, synthesis and chat to their providers. */
export function reachProviders(context: CheckContext): Reach {
  const providers = new Map<string, { chainIds: Set<string>; reference: Target }>();
  const chainsWithout = new Set<string>();
  for (const [chainId, chain] of context.chains) {
    for (const blocks of providerBlocks(chain)) {
      const found = firstProvider([...blocks, chain, context.tarsy.defaults], context);
      if (found === "wrong") continue;
      if (found === undefined) {
        chainsWithout.add(chainId);
        continue;
      }
      const known = providers.get(found.name) ?? { chainIds: new Set(), reference: found.reference };
      known.chainIds.add(chainId);
      providers.set(found.name, known);
    }
  }
  return { providers, chainsWithout: [...chainsWithout] };
}

type ProviderBlock = { llm_provider?: string };

/** For each thing in a chain that calls an LLM: the block that may name its provider. */
function providerBlocks(chain: Loose<ChainEntry>): ProviderBlock[][] {
  const blocks: ProviderBlock[][] = [];
  // A provider named for a chain counts as used by it even where every agent names another.
  if (chain.llm_provider !== undefined) blocks.push([]);
  for (const { agents = [], replicas = 1, synthesis } of chain.stages ?? []) {
    for (const agent of agents) blocks.push([agent]);
    if (agents.length * replicas > 1) blocks.push(synthesis === undefined ? [] : [synthesis]);
  }
  if (chain.chat?.enabled === true) blocks.push([chain.chat]);
  return blocks;
}

function firstProvider(
  levels: readonly (ProviderBlock | undefined)[],
  { reporter, tarsy }: CheckContext,
): { name: string; reference: Target } | "wrong" | undefined {
  for (const level of levels) {
    if (level === undefined) continue;
    const name = level.llm_provider;
    if (name !== undefined) return { name, reference: { container: level, key: "llm_provider" } };
    if (reporter.sources.hasChild(level, "llm_provider")) return "wrong";
  }
  return reporter.sources.hasChild(tarsy, "defaults") && tarsy.defaults === undefined ? "wrong" : undefined;
}
