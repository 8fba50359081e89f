import { configByName } from "#shared/agent-config/config-by-name.ts";
import { effectiveConfig } from "#shared/agent-config/effective-config.ts";
import { findChain, knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import { agentsFor, chosenServers, serversOf } from "#shared/agent-config/used-servers.ts";
import type { ApiDeps } from "../api-deps.ts";
import { unreadConclusions } from "../conclusions/unread-conclusions.ts";
import { RequestError, abbreviate, validationError } from "../http/request-error.ts";
import { routesOf, type Route } from "../http/routes-of.ts";
import { knownDestinations } from "../notifications/notify-plans.ts";
import { outboxWarnings } from "../notifications/outbox-warnings.ts";
import { readOutboxState } from "../notifications/read-outbox-state.ts";
import { openApiDocument } from "../openapi/openapi-document.ts";
import { CONFIG_VIEWS } from "./config-schema.ts";
import { connectHandlers } from "./connect-handlers.ts";
import { SYSTEM } from "./contract.ts";
import { healthReader } from "./read-health.ts";
import { ServerStateReader, type ServerState } from "./server-states.ts";
import { summarizeServer } from "./summarize-server.ts";
import { queueWarnings, systemWarnings } from "./system-warnings.ts";

/** The routes of the installation. The document describes `routes`; it and the configuration as a file are made at the first request. */
export function systemRoutes(deps: ApiDeps, routes: () => readonly Route[]) {
  const { config, db, dispatcher } = deps;
  const { agents, stubbedServers, notifications } = config;
  const states = new ServerStateReader(db);
  const used = chosenServers(agents);
  const startedAt = new Date().toISOString();
  const readHealth = healthReader(deps);
  let document: ReturnType<typeof openApiDocument> | undefined;
  let asFile: unknown;
  return routesOf(SYSTEM, {
    getConfig(ctx) {
      const { view } = ctx.query;
      if (view !== undefined && !CONFIG_VIEWS.some((known) => known === view)) {
        throw validationError("view", `must be ${CONFIG_VIEWS.join(" or ")}`, CONFIG_VIEWS);
      }
      asFile ??= effectiveConfig(agents);
      ctx.type = "application/json";
      // Its members are those of the files, which no type has.
      return Buffer.from(JSON.stringify(view === "file" ? asFile : configByName(agents, asFile, new Date())));
    },

    getSkill(ctx) {
      const skill = agents.skills.get(ctx.params["name"] ?? "");
      if (skill === undefined) throw new RequestError(404, "skill not found");
      const { name, description, body } = skill;
      return { name, description, body };
    },

    /** Where none of the agents has a server, all are listed. */
    getDefaultTools(ctx) {
      const { alert_type: wanted } = ctx.query;
      if (Array.isArray(wanted)) throw validationError("alert_type", "must be given once");
      const found = findChain(agents, wanted);
      if (found === undefined) {
        const why = `no chain handles '${abbreviate(wanted ?? "")}'`;
        throw validationError("alert_type", why, knownAlertTypes(agents));
      }
      const members = agentsFor(agents, found.alertType);
      const servers = new Set(members.flatMap(serversOf));
      const native = (tool: "google_search" | "code_execution" | "url_context") =>
        members.some(({ llm_provider }) => llm_provider.native_tools[tool] === true);
      return {
        ...(wanted === undefined || wanted === "" ? {} : { alert_type: wanted }),
        mcp_servers: [...(servers.size === 0 ? agents.mcpServers.keys() : servers)].sort(),
        native_tools: {
          google_search: native("google_search"),
          code_execution: native("code_execution"),
          url_context: native("url_context"),
        },
      };
    },

    /** Every configured server and every one that a tool-runner knows, by id. */
    async listMcpServers() {
      const rows = await states.read();
      const ids = new Set([...agents.mcpServers.keys(), ...rows.map(({ server }) => server)]);
      const rowsOf = (id: string) => rows.filter(({ server }) => server === id);
      return { servers: [...ids].sort().map((id) => serverView(id, rowsOf(id), used.has(id))) };
    },
    ...connectHandlers(deps),

    async listWarnings() {
      const [servers, outbox, unread] = await Promise.all([
        states.read(),
        readOutboxState(db),
        unreadConclusions(db),
      ]);
      return {
        warnings: [
          ...systemWarnings({ agents, stubbedServers, states: servers, startedAt, now: new Date() }),
          ...unread,
          ...outboxWarnings(outbox, knownDestinations(notifications), startedAt),
          ...queueWarnings(dispatcher.streams.refused),
        ],
      };
    },

    getOpenApi: () => (document ??= openApiDocument(routes())),

    async getHealth(ctx) {
      const health = await readHealth();
      if (health.status === "unhealthy") {
        ctx.status = 503;
        ctx.set("retry-after", "1");
      }
      return health;
    },
  });
}

/** A server of `GET /api/v1/system/mcp-servers`, with what the live tool-runners know of it. */
function serverView(id: string, rows: readonly ServerState[], isInUse: boolean) {
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
