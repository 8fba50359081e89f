import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import type { ServerStates, ServerState } from "../system/server-states.ts";
import { summarizeServer } from "../system/summarize-server.ts";
import { chosenServers } from "#shared/agent-config/used-servers.ts";

type Deps = Pick<ApiDeps, "config"> & { readonly states: Pick<ServerStates, "read"> };

/**
 * `GET /api/v1/system/mcp-servers`: every configured server and every one that a tool-runner knows, by id, with what the
 * live tool-runners know of it.
 */
export function getMcpServers({ config: { agents }, states }: Deps): RouterMiddleware {
  const used = chosenServers(agents);
  return async (ctx) => {
    const rows = await states.read();
    const ids = new Set([...agents.mcpServers.keys(), ...rows.map(({ server }) => server)]);
    const servers = [...ids].sort().map((id) =>
      view(
        id,
        rows.filter(({ server }) => server === id),
        used.has(id),
      ),
    );
    ctx.body = { servers };
  };
}

function view(id: string, rows: readonly ServerState[], isInUse: boolean): object {
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
