import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";

/** What the `final_analysis` entry says of an answer that the agent was made to give at its limit of iterations. */
export function forcedConclusion({ max_iterations }: Pick<ResolvedAgent, "max_iterations">): object {
  // A conclusion is forced when, and only when, all of them are used up.
  return { forced_conclusion: true, iterations_used: max_iterations, max_iterations };
}
