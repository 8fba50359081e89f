import { literals } from "#shared/contracts/literals.ts";
import { CALLBACK_PATH } from "#shared/contracts/mcp-connect.ts";
import { SERVER_STATES, StoredTool } from "#shared/contracts/mcp-server-state.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Time } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";
import { SystemConfigQuery, SystemConfigResponse } from "./config-schema.ts";

const Nullable = Type.Union([Type.String(), Type.Null()]);
const NullableTime = Type.Union([Time, Type.Null()]);

const SkillParams = Type.Object({ name: Type.String() });

const SkillResponse = Type.Object({
  name: Type.String(),
  description: Type.String(),
  body: Type.String({ description: "Markdown" }),
});

const DefaultToolsQuery = Type.Object({
  alert_type: Type.Optional(Type.String({ description: "by default the default alert type" })),
});

const DefaultToolsResponse = Type.Object({
  alert_type: Type.Optional(Type.String()),
  mcp_servers: Type.Array(Type.String()),
  native_tools: Type.Object({
    google_search: Type.Boolean(),
    code_execution: Type.Boolean(),
    url_context: Type.Boolean(),
  }),
});

const McpServersResponse = Type.Object({
  servers: Type.Array(
    Type.Object(
      {
        id: Type.String(),
        healthy: Type.Boolean(),
        state: literals(SERVER_STATES),
        last_check: NullableTime,
        tool_count: Type.Integer({ minimum: 0 }),
        tools: Type.Array(StoredTool),
        error: Nullable,
        last_error_at: NullableTime,
        era: Nullable,
        version: Nullable,
        runners: Type.Array(
          Type.Object({
            id: Type.String(),
            host: Type.String(),
            state: literals(SERVER_STATES),
            last_check: NullableTime,
            error_code: Nullable,
            error: Nullable,
            last_error_at: NullableTime,
          }),
        ),
      },
      { title: "McpServer" },
    ),
  ),
});

const WarningsResponse = Type.Object({
  warnings: Type.Array(
    Type.Object({
      id: Type.String(),
      category: literals(["mcp_health", "mcp_configuration", "mcp_effects", "llm", "notifications", "queue"]),
      message: Type.String(),
      details: Type.String(),
      server_id: Type.Optional(Type.String()),
      created_at: Time,
    }),
  ),
});

/** `degraded`: alerts are accepted, and sessions wait or are less safe. */
const Health = literals(["healthy", "degraded", "unhealthy"]);
const Count = Type.Integer({ minimum: 0 });
const State = {
  status: literals(["healthy", "unhealthy"]),
  response_time_ms: Count,
  error: Type.Optional(Type.String()),
};

const HealthResponse = Type.Object(
  {
    status: Health,
    version: Type.String(),
    checks: Type.Record(
      Type.String(),
      Type.Object({ status: Health, message: Type.Optional(Type.String()) }),
    ),
    auth_mode: Type.String(),
    database: Type.Object({
      ...State,
      open_connections: Count,
      in_use: Count,
      idle: Count,
      wait_count: Count,
      max_open_conns: Count,
    }),
    nats: Type.Object(State),
    configuration: Type.Object({
      agents: Count,
      chains: Count,
      mcp_servers: Count,
      llm_providers: Count,
    }),
    worker_pool: Type.Optional(
      Type.Object({
        is_healthy: Type.Boolean(),
        db_reachable: Type.Boolean(),
        max_concurrent: Count,
        active_sessions: Count,
        queue_depth: Count,
        queue_depth_by_lane: Type.Object({ critical: Count, normal: Count, low: Count }),
        orphaned_sessions: Count,
        active_workers: Count,
        total_workers: Count,
        worker_stats: Type.Array(
          Type.Object({
            id: Type.String(),
            active_sessions: Count,
            last_activity: Time,
            status: Type.Literal("working"),
          }),
        ),
      }),
    ),
  },
  { title: "Health" },
);

/** The installation: its state and its configuration. */
export const SYSTEM = {
  getConfig: {
    method: "get",
    path: "/api/v1/system/config",
    action: "config.read",
    tag: "system",
    summary: "The effective configuration, with secrets redacted",
    query: SystemConfigQuery,
    responses: { 200: { description: "maps by name, or what the files say", schema: SystemConfigResponse } },
  },
  getSkill: {
    method: "get",
    path: "/api/v1/system/config/skills/:name",
    action: "config.read",
    tag: "system",
    summary: "A skill of the configuration with its text",
    params: SkillParams,
    responses: { 200: { description: "the skill", schema: SkillResponse } },
  },
  getDefaultTools: {
    method: "get",
    path: "/api/v1/system/default-tools",
    action: "tools.read",
    tag: "system",
    summary: "The MCP servers and native tools that the agents have if an alert selects none",
    query: DefaultToolsQuery,
    responses: { 200: { description: "the tools", schema: DefaultToolsResponse } },
  },
  listMcpServers: {
    method: "get",
    path: "/api/v1/system/mcp-servers",
    action: "tools.read",
    tag: "system",
    summary: "Every MCP server, with what the live tool-runners know of it",
    responses: { 200: { description: "the servers by id", schema: McpServersResponse } },
  },
  connectMcpServer: {
    method: "post",
    path: "/api/v1/system/mcp-servers/:server/connect",
    action: "mcp.connect",
    tag: "system",
    summary:
      "Begins to connect an MCP server with auth type oauth: a person opens the address and agrees there",
    params: Type.Object({ server: Type.String() }),
    responses: {
      200: {
        description: "the address",
        schema: Type.Object({ authorization_url: Type.String(), expires_in_seconds: Type.Integer() }),
      },
    },
    errors: [404, 409],
  },
  finishConnect: {
    method: "get",
    path: CALLBACK_PATH,
    action: undefined,
    tag: "system",
    summary: "Where an authorization server sends the browser back to; its `state` is valid once",
    query: Type.Object({
      state: Type.Optional(Type.String()),
      code: Type.Optional(Type.String()),
      iss: Type.Optional(Type.String()),
      error: Type.Optional(Type.String()),
    }),
    responses: { 200: { description: "the server is connected", or: "text/plain" } },
  },
  listWarnings: {
    method: "get",
    path: "/api/v1/system/warnings",
    action: "tools.read",
    tag: "system",
    summary: "What an operator should look at",
    responses: { 200: { description: "the warnings", schema: WarningsResponse } },
  },
  getOpenApi: {
    method: "get",
    path: "/api/v1/openapi.json",
    action: "contract.read",
    tag: "system",
    summary: "This document",
    responses: {
      200: {
        description: "OpenAPI 3.1",
        schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      },
    },
  },
  getHealth: {
    method: "get",
    path: "/health",
    action: undefined,
    tag: "system",
    summary: "The state of each dependency and of the worker pool",
    responses: {
      200: { description: "the database answers", schema: HealthResponse },
      503: { description: "the database does not answer", schema: HealthResponse },
    },
  },
} as const satisfies Endpoints;
