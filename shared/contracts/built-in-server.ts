/** The reserved server id of the tools that the executor answers itself. No configuration may define it. */
export const BUILT_IN_SERVER = "tarsy";
