import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Time, SessionParams } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

/** The longest page, because an alert has up to 16,384 characters. */
const MAX_PAGE = 100;

/** In `GET /api/v1/sessions/:id`: the alerts of the session's incident. */
export const AlertGroup = Type.Object(
  {
    count: Type.Integer({ minimum: 1, description: "with the one that started the session" }),
    last_at: Time,
    state: {
      ...literals(["open", "closed"]),
      description:
        "open: an alert of the incident belongs to this session; closed: it starts another one, or has",
    },
    resolved_at: Type.Optional({ ...Time, description: "when the source said that the incident is over" }),
  },
  { title: "AlertGroup" },
);

export const SessionAlertsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 50 }),
  before: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: "only alerts with a smaller number" }),
  ),
});

/** An alert of a session's incident. */
export const SessionAlert = Type.Object(
  {
    ordinal: Type.Integer({ minimum: 1 }),
    outcome: {
      ...literals(["opened", "reopened", "linked", "counted"]),
      description:
        "opened and reopened: it started the session; linked: the session ran; counted: it had ended",
    },
    is_resolved: Type.Boolean({ description: "it says that it is over" }),
    effect: Type.Optional({
      ...literals(["conclude", "cancel"]),
      description: "what the session did for that reason",
    }),
    author: Type.String(),
    received_at: Time,
    data: Type.Union([Type.String(), Type.Null()], {
      description: "masked; the first 16,384 characters, null where the session's room for them was used up",
    }),
    bytes: Type.Integer({ minimum: 0, description: "of the whole text" }),
  },
  { title: "SessionAlert" },
);

const SessionAlertsResponse = Type.Object({
  session_id: Uuid,
  count: Type.Integer({ minimum: 0, description: "0 where alerts like its own are not grouped" }),
  alerts: Type.Array(SessionAlert),
  has_more: Type.Boolean(),
});

/** The alerts of incidents. */
export const INCIDENTS = {
  listSessionAlerts: {
    method: "get",
    path: "/api/v1/sessions/:id/alerts",
    action: "session.read",
    tag: "alerts",
    summary: "The alerts of a session's incident, newest first",
    params: SessionParams,
    query: SessionAlertsQuery,
    responses: { 200: { description: "a page", schema: SessionAlertsResponse } },
  },
} as const satisfies Endpoints;
