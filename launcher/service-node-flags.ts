/**
 * How Node runs a service. A young generation of 4 MB per half instead of 16: under load an executor's own memory was 177
 * instead of 224 to 248 MB, with no loss of throughput to be seen (`npm run bench -- smoke`).
 */
export const SERVICE_NODE_FLAGS: readonly string[] = ["--max-semi-space-size=4"];
