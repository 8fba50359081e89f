/**
 * The wait that the gateway names to its callers when waiting is a remedy and the provider states no time, in milliseconds. Rate
 * limits are usually counted per minute; servers that are overloaded, loading a model or restarting need some seconds.
 */
export const WAIT_ESTIMATE_MS = { rateLimited: 20_000, overloaded: 15_000, unreachable: 15_000 } as const;
