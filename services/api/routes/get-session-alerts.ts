import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { readAlertGroup, readAlerts } from "../incidents/read-alerts.ts";
import { queryReader } from "../http/query-reader.ts";
import { visibleSession } from "../http/visible-session.ts";
import { SessionAlertsQuery } from "../schemas/alert-groups.ts";

const readQuery = queryReader(SessionAlertsQuery);
const LAST = 2_147_483_647;

/** `GET /api/v1/sessions/:id/alerts`: the alerts of the session's incident, newest first, with `before` for the next page. */
export function getSessionAlerts({ db }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const { session_id } = await visibleSession(db, ctx);
    const { limit, before = LAST } = readQuery(ctx.query);
    const found = await readAlerts(db, session_id, { before, limit: limit + 1 });
    const alerts = found.slice(0, limit);
    const group = await readAlertGroup(db, session_id);
    ctx.body = {
      session_id,
      count: group?.count ?? 0,
      // Null members are left out, except the text.
      alerts: alerts.map(({ effect, ...alert }) => ({ ...alert, ...(effect === null ? {} : { effect }) })),
      has_more: found.length > limit,
    };
  };
}
