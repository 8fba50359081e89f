import { HandshakeResponse, RawQuery, WebhookResponse } from "../schemas/webhooks.ts";
import { AlertmanagerRequest } from "../webhooks/alertmanager-request.ts";
import { PagerDutyRequest } from "../webhooks/pagerduty-request.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { RouteContracts } from "./legacy.ts";

const responses = {
  200: { description: "a handshake or a test: no session was started", schema: HandshakeResponse },
  202: { description: "the alert is stored", schema: WebhookResponse },
};

const probe = {
  tag: "alerts",
  summary: "The answer to senders that try the address",
  responses: {
    200: { description: "alerts are sent with POST", schema: Type.Object({ message: Type.String() }) },
  },
} as const;

/** How other systems send alerts. */
export const WEBHOOK_CONTRACTS = {
  "GET /api/v1/webhooks/alertmanager": { id: "probeAlertmanager", ...probe },
  "GET /api/v1/webhooks/pagerduty": { id: "probePagerDuty", ...probe },
  "GET /api/v1/webhooks/raw": { id: "probeRaw", ...probe },
  "POST /api/v1/webhooks/alertmanager": {
    id: "receiveAlertmanager",
    tag: "alerts",
    summary: "A notification of Alertmanager, which starts a session unless it is known",
    body: { schema: AlertmanagerRequest },
    responses,
    errors: [404],
  },
  "POST /api/v1/webhooks/pagerduty": {
    id: "receivePagerDuty",
    tag: "alerts",
    summary: "An event of PagerDuty, signed; one that triggers an incident starts a session",
    body: { schema: PagerDutyRequest },
    responses,
    errors: [404],
  },
  "POST /api/v1/webhooks/raw": {
    id: "receiveRaw",
    tag: "alerts",
    summary: "The body is the alert",
    query: RawQuery,
    body: { schema: Type.String(), type: "text/plain" },
    responses,
    errors: [404, 422],
  },
} as const satisfies RouteContracts;
