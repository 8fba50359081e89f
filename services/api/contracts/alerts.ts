import { SubmitAlertBody, SubmitAlertHeaders, SubmitAlertResponse } from "../schemas/submit-alert.ts";
import { AlertTypesResponse } from "../schemas/system.ts";
import type { RouteContracts } from "./legacy.ts";

/** How alerts come in. */
export const ALERT_CONTRACTS = {
  "POST /api/v1/alerts": {
    id: "submitAlert",
    tag: "alerts",
    summary: "Submit an alert, which starts an investigation",
    description:
      "202 is answered once the alert is committed. From then on its session reaches a terminal status, whatever restarts.",
    headers: SubmitAlertHeaders,
    body: {
      schema: SubmitAlertBody,
      example: { data: "Pod checkout-7d9f in namespace shop restarts every 30 s", alert_type: "kubernetes" },
    },
    responses: {
      202: {
        description: "the alert is stored; with `Idempotent-Replayed: true` it was already",
        schema: SubmitAlertResponse,
        example: {
          session_id: "019ab0c4-7c1e-7d3a-9f70-2b7a4a9e1c55",
          status: "queued",
          message: "Alert submitted for processing",
        },
      },
    },
    errors: [422],
  },
  "GET /api/v1/alert-types": {
    id: "listAlertTypes",
    tag: "alerts",
    summary: "The known alert types, each with the chain that investigates it",
    responses: { 200: { description: "the alert types", schema: AlertTypesResponse } },
  },
} as const satisfies RouteContracts;
