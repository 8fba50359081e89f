import type { RouterMiddleware } from "@koa/router";
import { findChain, knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import type { ApiDeps } from "../api-deps.ts";
import { abbreviate, validationError } from "../http/request-error.ts";
import { agentsFor, serversOf } from "#shared/agent-config/used-servers.ts";

const NATIVE_TOOLS = ["google_search", "code_execution", "url_context"] as const;

/**
 * `GET /api/v1/system/default-tools?alert_type=`: the MCP servers and native tools that the agents for this alert type (by
 * default the default one) have if the alert does not select any. Where none of them has a server, all are listed.
 */
export function getDefaultTools({ config: { agents } }: Pick<ApiDeps, "config">): RouterMiddleware {
  return (ctx) => {
    const { alert_type: wanted } = ctx.query;
    if (Array.isArray(wanted)) throw validationError("alert_type", "must be given once");
    const found = findChain(agents, wanted);
    if (found === undefined) {
      const why = `no chain handles '${abbreviate(wanted ?? "")}'`;
      throw validationError("alert_type", why, knownAlertTypes(agents));
    }
    const members = agentsFor(agents, found.alertType);
    const servers = new Set(members.flatMap(serversOf));
    const native = (tool: (typeof NATIVE_TOOLS)[number]) =>
      members.some(({ llm_provider }) => llm_provider.native_tools[tool] === true);
    ctx.body = {
      ...(wanted === undefined || wanted === "" ? {} : { alert_type: wanted }),
      mcp_servers: [...(servers.size === 0 ? agents.mcpServers.keys() : servers)].sort(),
      native_tools: Object.fromEntries(NATIVE_TOOLS.map((tool) => [tool, native(tool)])),
    };
  };
}
