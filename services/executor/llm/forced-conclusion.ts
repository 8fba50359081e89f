import type { BudgetCause } from "#shared/contracts/budget.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";

/**
 * What the `final_analysis` entry says of an answer that the agent was made to give: at its limit of iterations, or earlier
 * because a person asked for it or a budget is nearly used up, which is then named. `used` are the iterations before the answer.
 */
export function forcedConclusion(
  { max_iterations }: Pick<ResolvedAgent, "max_iterations">,
  used: number,
  budget?: BudgetCause,
): object {
  return {
    forced_conclusion: true,
    iterations_used: Math.min(used, max_iterations),
    max_iterations,
    ...(budget === undefined ? {} : { budget }),
  };
}
