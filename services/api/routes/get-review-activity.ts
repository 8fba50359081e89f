import type { RouterMiddleware } from "@koa/router";
import { SessionReviewActivityEntity } from "#shared/database/entities.ts";
import type { ApiDeps } from "../api-deps.ts";
import { visibleSession } from "../http/visible-session.ts";
import { withoutNulls } from "../http/without-nulls.ts";

/** More than any session has; a page that shows them reads all. */
const MAX_ACTIVITIES = 1_000;

/** `GET /api/v1/sessions/:id/review-activity`: who did what in the session's review, oldest first; the newest 1,000. */
export function getReviewActivity({ db, orm }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const { session_id } = await visibleSession(db, ctx);
    const newest = await orm.manager.find(SessionReviewActivityEntity, {
      where: { session_id },
      order: { id: "DESC" },
      take: MAX_ACTIVITIES,
    });
    ctx.body = {
      activities: newest
        .toReversed()
        .map(({ id, actor, action, from_status, to_status, created_at, ...rest }) => ({
          id: String(id),
          actor,
          action,
          from_status,
          to_status,
          ...withoutNulls({
            quality_rating: rest.quality_rating,
            note: rest.note,
            investigation_feedback: rest.investigation_feedback,
          }),
          created_at,
        })),
    };
  };
}
