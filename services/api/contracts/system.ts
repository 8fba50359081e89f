import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { RouteContracts } from "./legacy.ts";
import {
  AuditQuery,
  AuditResponse,
  MeResponse,
  PageSessionResponse,
  TicketResponse,
} from "../schemas/audit.ts";
import { HealthResponse } from "../schemas/health.ts";
import { SystemConfigQuery, SystemConfigResponse } from "../schemas/system-config.ts";
import {
  DefaultToolsQuery,
  DefaultToolsResponse,
  McpServersResponse,
  SkillParams,
  SkillResponse,
  WarningsResponse,
} from "../schemas/system.ts";

/** The installation: its state, its configuration, and who did what. */
export const SYSTEM_CONTRACTS = {
  "GET /api/v1/system/config": {
    id: "getConfig",
    tag: "system",
    summary: "The effective configuration, with secrets redacted",
    query: SystemConfigQuery,
    responses: { 200: { description: "maps by name, or what the files say", schema: SystemConfigResponse } },
  },
  "GET /api/v1/system/config/skills/:name": {
    id: "getSkill",
    tag: "system",
    summary: "A skill of the configuration with its text",
    params: SkillParams,
    responses: { 200: { description: "the skill", schema: SkillResponse } },
  },
  "GET /api/v1/system/default-tools": {
    id: "getDefaultTools",
    tag: "system",
    summary: "The MCP servers and native tools that the agents have if an alert selects none",
    query: DefaultToolsQuery,
    responses: { 200: { description: "the tools", schema: DefaultToolsResponse } },
  },
  "GET /api/v1/system/mcp-servers": {
    id: "listMcpServers",
    tag: "system",
    summary: "Every MCP server, with what the live tool-runners know of it",
    responses: { 200: { description: "the servers by id", schema: McpServersResponse } },
  },
  "GET /api/v1/system/warnings": {
    id: "listWarnings",
    tag: "system",
    summary: "What an operator should look at",
    responses: { 200: { description: "the warnings", schema: WarningsResponse } },
  },
  "GET /api/v1/audit": {
    id: "readAuditLog",
    tag: "access",
    summary: "The audit log, newest first",
    query: AuditQuery,
    responses: { 200: { description: "a page", schema: AuditResponse } },
  },
  "POST /api/v1/ws-ticket": {
    id: "createTicket",
    tag: "access",
    summary: "A credential for one WebSocket, for clients that cannot send headers",
    responses: { 201: { description: "the ticket", schema: TicketResponse } },
  },
  "GET /api/v1/me": {
    id: "getMe",
    tag: "access",
    summary: "Who the caller is, and what it may do",
    responses: { 200: { description: "the caller", schema: MeResponse } },
  },
  "POST /api/v1/page-session": {
    id: "signIn",
    tag: "access",
    summary: "Exchange a token or an API key for what lets a page of a browser in",
    description: "The answer has one half, the cookie that comes with it the other. Requests need both.",
    responses: { 201: { description: "the page's half", schema: PageSessionResponse } },
    errors: [401],
  },
  "DELETE /api/v1/page-session": {
    id: "signOut",
    tag: "access",
    summary: "Take the cookie of the page back",
    responses: { 204: { description: "the browser has no cookie any more" } },
  },
  "GET /api/v1/openapi.json": {
    id: "getOpenApi",
    tag: "system",
    summary: "This document",
    responses: {
      200: {
        description: "OpenAPI 3.1",
        schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      },
    },
  },
  "GET /health": {
    id: "getHealth",
    tag: "system",
    summary: "The state of each dependency and of the worker pool",
    responses: {
      200: { description: "the database answers", schema: HealthResponse },
      503: { description: "the database does not answer", schema: HealthResponse },
    },
  },
} as const satisfies RouteContracts;
