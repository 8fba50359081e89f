import { parseResolvedChain, type ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { Cassette } from "#shared/cassette/cassette.ts";
import type { PlacedCall } from "../recording/recorded-session.ts";

type NamedProviders = Pick<ResolvedAgent, "llm_provider" | "fallback_providers">;

/**
 * The providers that were known to be away when the recorded call for the executive summary was made: those before its own in a list
 * from which it can have come. A provider that the recording does not know is not among them, so that a changed configuration shows.
 */
export function awayAtSummary(cassette: Cassette, next: PlacedCall | undefined): readonly string[] {
  if (next?.call.type !== "executive_summary" || !next.call.was_sent) return [];
  const provider = next.call.input.model?.provider;
  const { executive_summary, stages } = parseResolvedChain(cassette.resolved_config);
  const last = stages.at(-1);
  const authors: readonly NamedProviders[] =
    executive_summary === undefined
      ? [...(last?.agents ?? []), ...(last?.synthesis === undefined ? [] : [last.synthesis])]
      : [executive_summary];
  return authors.flatMap(({ llm_provider, fallback_providers = [] }) => {
    const names = [llm_provider, ...fallback_providers].map(({ name }) => name);
    return names.slice(0, Math.max(names.indexOf(provider ?? ""), 0));
  });
}
