import { api } from "../../api/client.ts";
import { useRemote } from "../../parts/use-remote.ts";

/** The state changes by itself. */
const EVERY_MS = 10_000;
/** The answer of `/health` while the database does not answer. */
const UNHEALTHY = 503;

/** Whether the dependencies work, and the executors. */
export function useHealth() {
  return useRemote("health", async (signal) => api.call("GET /health", { signal, accepts: [UNHEALTHY] }), {
    every: EVERY_MS,
  });
}

/** What an operator should look at. */
export function useWarnings() {
  return useRemote("warnings", async (signal) => api.call("GET /api/v1/system/warnings", { signal }), {
    every: EVERY_MS,
  });
}

/** The MCP servers with their tools. */
export function useServers() {
  return useRemote("servers", async (signal) => api.call("GET /api/v1/system/mcp-servers", { signal }), {
    every: EVERY_MS,
  });
}

/** The sessions that run or wait. */
export function useUnfinished() {
  return useRemote("unfinished", async (signal) => api.call("GET /api/v1/sessions/active", { signal }), {
    every: EVERY_MS,
  });
}

/** The effective configuration under the keys of its files; it changes only with a restart. */
export function useConfig() {
  return useRemote("config", async (signal) =>
    api.call("GET /api/v1/system/config", { query: { view: "file" }, signal }),
  );
}

/** The alert types and their chains. */
export function useAlertTypes() {
  return useRemote("alert types", async (signal) => api.call("GET /api/v1/alert-types", { signal }));
}
