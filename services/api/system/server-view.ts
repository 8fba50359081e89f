import type { ServerState } from "./server-states.ts";
import { summarizeServer } from "./summarize-server.ts";

/** A server of `GET /api/v1/system/mcp-servers`, with what the live tool-runners know of it. */
export function serverView(id: string, rows: readonly ServerState[], isInUse: boolean) {
  const { state, failing, lastCheckAt, lastErrorAt } = summarizeServer(rows, isInUse);
  // Runners that have a list have the same one, or soon will.
  const tools = rows.reduce<ServerState["tools"]>(
    (longest, row) => (row.tools.length > longest.length ? row.tools : longest),
    [],
  );
  const known = rows.find(({ era, version }) => era !== null || version !== null);
  return {
    id,
    healthy: failing.length === 0,
    state,
    last_check: lastCheckAt,
    tool_count: tools.length,
    tools,
    error: failing[0]?.error ?? null,
    last_error_at: lastErrorAt,
    era: known?.era ?? null,
    version: known?.version ?? null,
    runners: rows.map((row) => ({
      id: row.runner,
      host: row.host,
      state: row.state,
      last_check: row.last_check_at,
      error_code: row.error_code,
      error: row.error,
      last_error_at: row.last_error_at,
    })),
  };
}
