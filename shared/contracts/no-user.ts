/** The name of a caller that nothing names: in the modes without people every caller has it. */
export const NO_USER = "api-client";
