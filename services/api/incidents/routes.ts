import type { ApiDeps } from "../api-deps.ts";
import { readAlertGroup, readAlerts } from "./read-alerts.ts";
import { queryReader } from "../http/query-reader.ts";
import { routesOf } from "../http/routes-of.ts";
import { visibleSession } from "../http/visible-session.ts";
import { INCIDENTS, SessionAlertsQuery } from "./contract.ts";

const readQuery = queryReader(SessionAlertsQuery);
const LAST = 2_147_483_647;

/** The route of the alerts of a session's incident, newest first, with `before` for the next page. */
export const incidentRoutes = ({ db }: ApiDeps) =>
  routesOf(INCIDENTS, {
    async listSessionAlerts(ctx) {
      const { session_id } = await visibleSession(db, ctx);
      const { limit, before = LAST } = readQuery(ctx.query);
      const found = await readAlerts(db, session_id, { before, limit: limit + 1 });
      const alerts = found.slice(0, limit);
      const group = await readAlertGroup(db, session_id);
      return {
        session_id,
        count: group?.count ?? 0,
        // Null members are left out, except the text.
        alerts: alerts.map(({ effect, ...alert }) => ({ ...alert, ...(effect === null ? {} : { effect }) })),
        has_more: found.length > limit,
      };
    },
  });
