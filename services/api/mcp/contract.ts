import { Type } from "#shared/generated/typebox/typebox.mjs";
import { AnyObject } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

/** A message of JSON-RPC, as the protocol has it. */
const Message = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    method: Type.String(),
    id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
    params: Type.Optional(AnyObject),
  },
  { title: "McpMessage", additionalProperties: true },
);

const Answer = (description: string) => ({ description, schema: AnyObject });

const Metadata = Type.Object(
  {
    resource: Type.String({ description: "the address of this MCP server" }),
    authorization_servers: Type.Optional(
      Type.Array(Type.String(), { description: "where clients sign in; absent where keys are used" }),
    ),
    bearer_methods_supported: Type.Array(Type.String()),
    resource_name: Type.String(),
  },
  { title: "ProtectedResource" },
);

/** TARSy as an MCP server. */
export const MCP = {
  callMcp: {
    method: "post",
    path: "/mcp",
    action: "mcp.use",
    tag: "mcp",
    summary: "The Model Context Protocol: one message, without a session",
    description:
      "Versions 2026-07-28, 2025-11-25 and older ones. Tools, resources and prompts are those that the caller's role and scopes allow.",
    body: {
      schema: Message,
      example: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    },
    responses: {
      200: { ...Answer("the answer, or a stream of messages"), or: "text/event-stream" },
      202: { description: "to a notification" },
      400: Answer("an error of the protocol, or of the request"),
      404: Answer("the method is not known"),
      406: Answer("the client accepts neither JSON nor event streams"),
      500: Answer("a defect of the api"),
    },
  },
  getMcpMetadata: {
    method: "get",
    path: "/.well-known/oauth-protected-resource/mcp",
    action: undefined,
    tag: "mcp",
    summary: "Where clients of the MCP server sign in (RFC 9728)",
    responses: { 200: { description: "the metadata", schema: Metadata } },
  },
} as const satisfies Endpoints;
