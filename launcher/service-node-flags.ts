/**
 * Flags of Node for a service. Semi-spaces of 4 MB instead of 16 MB: under load the anonymous memory of an executor was
 * 177 MB instead of 224 to 248 MB, without a measurable loss of throughput (`npm run bench -- smoke`).
 */
export const SERVICE_NODE_FLAGS: readonly string[] = ["--max-semi-space-size=4"];
