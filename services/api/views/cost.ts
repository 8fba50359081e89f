import { type CostCompleteness, COST_COMPLETENESS } from "#shared/contracts/budget.ts";
import { literals } from "#shared/contracts/literals.ts";
import type { CostSum } from "#shared/database/cost-sums.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";

/** USD; exact to twelve decimals before it became a JSON number. */
export const Usd = Type.Number({ minimum: 0 });

/** What a session or an execution says about its cost; nothing while estimation is off, and no sum where no call has a price. */
export const CostMembers = {
  estimated_cost_usd: Type.Optional(Usd),
  cost_completeness: Type.Optional(literals(COST_COMPLETENESS)),
  unpriced_interaction_count: Type.Optional(Type.Integer({ minimum: 0 })),
} as const;

/** The sums of an execution's or a session's calls. */
type CostSums = Readonly<Record<CostSum, number>>;

/** What views show of costs; all absent while estimation is off. */
export interface ShownCost {
  /** Absent where no call has a price. */
  readonly estimated_cost_usd?: number;
  readonly cost_completeness?: CostCompleteness;
  readonly unpriced_interaction_count?: number;
}

/** The members of a view for these sums. */
export function costMembers(
  sums: Omit<CostSums, "cached_input_tokens" | "unpriced_tokens"> | null,
  isEnabled: boolean,
): ShownCost {
  if (!isEnabled || sums === null) return {};
  const { estimated_cost_usd, priced_interaction_count, unpriced_interaction_count } = sums;
  return {
    ...(priced_interaction_count > 0 ? { estimated_cost_usd } : {}),
    cost_completeness: completeness(sums),
    unpriced_interaction_count,
  };
}

function completeness({
  priced_interaction_count,
  unpriced_interaction_count,
}: Pick<CostSums, "priced_interaction_count" | "unpriced_interaction_count">): CostCompleteness {
  if (priced_interaction_count === 0) return "none";
  return unpriced_interaction_count === 0 ? "complete" : "partial";
}

/** The row without the columns of its cost. */
export function withoutCostSums<R extends CostSums>(row: R) {
  const { cached_input_tokens: _cached, estimated_cost_usd: _usd, ...others } = row;
  const {
    priced_interaction_count: _priced,
    unpriced_interaction_count: _unpriced,
    unpriced_tokens: _tokens,
    ...rest
  } = others;
  return rest;
}
