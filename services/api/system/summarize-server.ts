import type { McpServerState } from "#shared/contracts/mcp-server-state.ts";
import type { ServerState } from "./server-states.ts";

/** What all runners together say of a server. */
export interface ServerSummary {
  readonly state: McpServerState;
  /** The rows of the runners for which it is not well. */
  readonly failing: readonly ServerState[];
  /** The newest contact of any runner. */
  readonly lastCheckAt: string | null;
  readonly lastErrorAt: string | null;
}

/**
 * A server is `degraded` if some runners can use it and others cannot. One that no agent of a chain has is `unused` where its
 * settings are incomplete: the built-in server needs a variable that most installations do not set.
 */
export function summarizeServer(rows: readonly ServerState[], isInUse: boolean): ServerSummary {
  const states = new Set(rows.map(({ state }) => state));
  const lastCheckAt = latest(rows.map(({ last_check_at }) => last_check_at));
  const lastErrorAt = latest(rows.map(({ last_error_at }) => last_error_at));
  const failing = rows.filter(
    ({ state }) => state === "degraded" || state === "down" || (state === "misconfigured" && isInUse),
  );
  const summary = (state: McpServerState) => ({ state, failing, lastCheckAt, lastErrorAt });
  if (failing.length === 0) return summary(states.has("healthy") ? "healthy" : "unused");
  if (failing.length < rows.length || states.has("degraded")) return summary("degraded");
  return summary(states.has("down") ? "down" : "misconfigured");
}

/** All are written in the same form. */
function latest(times: readonly (string | null)[]): string | null {
  return times.reduce((one, other) => (one === null || (other !== null && other > one) ? other : one), null);
}
