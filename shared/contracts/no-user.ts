/** The name of a caller that nothing names: in the modes without people that is whoever reaches the api. */
export const NO_USER = "api-client";
