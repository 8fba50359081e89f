import type { ApiDeps } from "../api-deps.ts";
import type { RouteRow } from "../contracts/documented-routes.ts";
import { getReviewActivity } from "../routes/get-review-activity.ts";
import { getTriage } from "../routes/get-triage.ts";
import { reviewSessions } from "../routes/review-sessions.ts";

/** The routes of reviews, to be placed before those with a session's id. */
export function reviewRoutes(deps: ApiDeps): readonly RouteRow[] {
  const sessions = "/api/v1/sessions";
  return [
    { method: "patch", path: `${sessions}/review`, action: "session.review", handle: reviewSessions(deps) },
    { method: "get", path: `${sessions}/triage/:group`, action: "session.read", handle: getTriage(deps) },
    {
      method: "get",
      path: `${sessions}/:id/review-activity`,
      action: "session.read",
      handle: getReviewActivity(deps),
    },
  ];
}
