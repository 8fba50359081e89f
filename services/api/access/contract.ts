import { ACTION_NAMES } from "#shared/access/authorize.ts";
import { ROLES } from "#shared/access/identity.ts";
import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Time } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

export const AuditQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  before: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 9_999_999_999, description: "only entries with a smaller id" }),
  ),
  session_id: Type.Optional(Uuid),
  subject: Type.Optional(Type.String()),
  action: Type.Optional(Type.String({ description: "e.g. session.delete" })),
});

/** What a caller did, or was refused. */
export const AuditRecord = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    at: Time,
    service: Type.String(),
    subject: Type.String(),
    via: Type.String(),
    peer: Type.Optional(Type.String()),
    action: Type.String(),
    session_id: Type.Optional(Type.String()),
    result: Type.String(),
    detail: Type.Optional(Type.Unknown()),
  },
  { title: "AuditEntry" },
);

const AuditResponse = Type.Object({
  entries: Type.Array(AuditRecord),
  has_more: Type.Boolean(),
});

const TicketResponse = Type.Object({
  ticket: Type.String(),
  expires_in_seconds: Type.Integer({ minimum: 1 }),
});

const MeResponse = Type.Object(
  {
    name: Type.Optional(
      Type.String({ description: "absent where the credential stands for no particular person" }),
    ),
    role: literals(ROLES),
    teams: Type.Array(Type.String()),
    signed_in: Type.Boolean({ description: "with the identity provider, by the cookie of the page" }),
    sees_all: Type.Boolean({ description: "no session is hidden from the caller" }),
    actions: Type.Array(literals(ACTION_NAMES), { description: "what the caller's role allows" }),
    memory_enabled: Type.Boolean({ description: "whether this installation learns from its sessions" }),
  },
  { title: "Me" },
);

const PageSessionResponse = Type.Object({
  proof: Type.String({ description: "to send as X-Tarsy-Page beside the cookie" }),
  expires_at: Type.String({ description: "ISO 8601, UTC" }),
});

/** Who the callers are, and who did what. */
export const ACCESS = {
  readAuditLog: {
    method: "get",
    path: "/api/v1/audit",
    action: "audit.read",
    tag: "access",
    summary: "The audit log, newest first",
    query: AuditQuery,
    responses: { 200: { description: "a page", schema: AuditResponse } },
  },
  createTicket: {
    method: "post",
    path: "/api/v1/ws-ticket",
    action: "ticket.create",
    tag: "access",
    summary: "A credential for one WebSocket, for clients that cannot send headers",
    responses: { 201: { description: "the ticket", schema: TicketResponse } },
  },
  getMe: {
    method: "get",
    path: "/api/v1/me",
    action: "session.read",
    tag: "access",
    summary: "Who the caller is, and what it may do",
    responses: { 200: { description: "the caller", schema: MeResponse } },
  },
  signIn: {
    method: "post",
    path: "/api/v1/page-session",
    action: undefined,
    tag: "access",
    summary: "Exchange a token or an API key for what lets a page of a browser in",
    description: "The answer has one half, the cookie that comes with it the other. Requests need both.",
    responses: { 201: { description: "the page's half", schema: PageSessionResponse } },
    errors: [401],
  },
  signOut: {
    method: "delete",
    path: "/api/v1/page-session",
    action: undefined,
    tag: "access",
    summary: "Take the cookie of the page back",
    responses: { 204: { description: "the browser has no cookie any more" } },
  },
} as const satisfies Endpoints;
