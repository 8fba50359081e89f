import { SessionAlertsQuery, SessionAlertsResponse } from "../schemas/alert-groups.ts";
import { SessionParams } from "../http/common-schemas.ts";
import type { RouteContracts } from "./legacy.ts";

/** The alerts of incidents. */
export const ALERT_GROUP_CONTRACTS = {
  "GET /api/v1/sessions/:id/alerts": {
    id: "listSessionAlerts",
    tag: "alerts",
    summary: "The alerts of a session's incident, newest first",
    params: SessionParams,
    query: SessionAlertsQuery,
    responses: { 200: { description: "a page", schema: SessionAlertsResponse } },
  },
} as const satisfies RouteContracts;
