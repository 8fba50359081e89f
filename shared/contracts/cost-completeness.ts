/** Whether all, some or none of the calls of which the tokens are known have a price. */
export const COST_COMPLETENESS = ["complete", "partial", "none"] as const;
export type CostCompleteness = (typeof COST_COMPLETENESS)[number];
