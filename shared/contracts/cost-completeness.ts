/** The share of the calls with known tokens that have a price. */
export const COST_COMPLETENESS = ["complete", "partial", "none"] as const;
export type CostCompleteness = (typeof COST_COMPLETENESS)[number];
