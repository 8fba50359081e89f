import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";

/**
 * What the `final_analysis` entry says of an answer that the agent was made to give: at its limit of iterations, or earlier
 * because a person asked for it. `used` are the iterations before the answer.
 */
export function forcedConclusion(
  { max_iterations }: Pick<ResolvedAgent, "max_iterations">,
  used: number,
): object {
  return { forced_conclusion: true, iterations_used: Math.min(used, max_iterations), max_iterations };
}
