import { literals } from "#shared/contracts/literals.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import type { Endpoints } from "../http/endpoint.ts";
import { AlertmanagerRequest } from "./alertmanager-request.ts";

/** The answer of every webhook. */
export const WebhookResponse = Type.Object({
  session_id: Type.Optional(Uuid),
  session_ids: Type.Array(Uuid, { description: "several where the source's alerts are split" }),
  status: Type.Union(
    [Type.Literal("queued"), Type.Literal("known"), Type.Literal("linked"), Type.Literal("resolved")],
    {
      description:
        "queued: a session was started; known: it was started before, or none is; linked: the alert belongs to the session of its incident; resolved: it says that it is over, and none is about it",
    },
  ),
  message: Type.String(),
});

/** The answer to a handshake or a test, which starts no session. */
export const WebhookHandshake = Type.Object({
  challenge: Type.Optional(Type.String({ description: "to Slack" })),
  validationResponse: Type.Optional(Type.String({ description: "to Azure Event Grid" })),
  message: Type.Optional(Type.String({ description: "to a test, and to a subscription of Amazon SNS" })),
});
export type WebhookHandshake = Static<typeof WebhookHandshake>;

const RawQuery = Type.Object({
  alert_type: Type.Optional(Type.String()),
  priority: Type.Optional(literals(SESSION_LANES)),
});

const responses = {
  200: { description: "a handshake or a test: no session was started", schema: WebhookHandshake },
  202: { description: "the alert is stored", schema: WebhookResponse },
};

const params = Type.Object({ source: Type.String({ description: "its name in tarsy.yaml" }) });

const probe = {
  method: "get",
  action: undefined,
  tag: "alerts",
  summary: "The answer to senders that try the address",
  responses: {
    200: { description: "alerts are sent with POST", schema: Type.Object({ message: Type.String() }) },
  },
} as const;

/** How other systems send alerts. */
export const WEBHOOKS = {
  receiveAlertmanager: {
    method: "post",
    path: "/api/v1/webhooks/alertmanager",
    action: "alert.submit",
    tag: "alerts",
    summary: "A notification of Alertmanager, which starts a session unless it is known",
    body: { schema: AlertmanagerRequest },
    responses,
    errors: [404],
  },
  receiveRaw: {
    method: "post",
    path: "/api/v1/webhooks/raw",
    action: "alert.submit",
    tag: "alerts",
    summary: "The body is the alert",
    query: RawQuery,
    body: { schema: Type.String(), type: "text/plain" },
    responses,
    errors: [404, 422],
  },
  receiveWebhook: {
    method: "post",
    path: "/api/v1/webhooks/:source",
    action: "alert.submit",
    tag: "alerts",
    summary: "What another source sends, which starts a session if an incident begins",
    params,
    body: { schema: Type.Object({}, { additionalProperties: true }) },
    responses,
    errors: [404],
  },
  probeAlertmanager: { ...probe, path: "/api/v1/webhooks/alertmanager" },
  probeRaw: { ...probe, path: "/api/v1/webhooks/raw" },
  probeWebhook: { ...probe, path: "/api/v1/webhooks/:source", params },
} as const satisfies Endpoints;
