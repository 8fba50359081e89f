import { ACTION_NAMES } from "#shared/access/authorize.ts";
import { ROLES } from "#shared/access/identity.ts";
import { literals } from "#shared/contracts/literals.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Time } from "../http/common-schemas.ts";

export const AuditQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  before: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 9_999_999_999, description: "only entries with a smaller id" }),
  ),
  session_id: Type.Optional(Uuid),
  subject: Type.Optional(Type.String()),
  action: Type.Optional(Type.String({ description: "e.g. session.delete" })),
});

/** `GET /api/v1/audit` */
export const AuditResponse = Type.Object({
  entries: Type.Array(
    Type.Object(
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
    ),
  ),
  has_more: Type.Boolean(),
});

/** `POST /api/v1/ws-ticket` */
export const TicketResponse = Type.Object({
  ticket: Type.String(),
  expires_in_seconds: Type.Integer({ minimum: 1 }),
});

/** `GET /api/v1/me` */
export const MeResponse = Type.Object(
  {
    name: Type.Optional(
      Type.String({ description: "absent where the credential stands for no particular person" }),
    ),
    role: literals(ROLES),
    teams: Type.Array(Type.String()),
    sees_all: Type.Boolean({ description: "no session is hidden from the caller" }),
    actions: Type.Array(literals(ACTION_NAMES), { description: "what the caller's role allows" }),
    memory_enabled: Type.Boolean({ description: "whether this installation learns from its sessions" }),
  },
  { title: "Me" },
);

/** `POST /api/v1/page-session` */
export const PageSessionResponse = Type.Object({
  proof: Type.String({ description: "to send as X-Tarsy-Page beside the cookie" }),
  expires_at: Type.String({ description: "ISO 8601, UTC" }),
});
