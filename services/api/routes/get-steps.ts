import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { firstMoment } from "../forks/fork-point.ts";
import { readSteps } from "../forks/read-steps.ts";
import { visibleSession } from "../http/visible-session.ts";

/** `GET /api/v1/sessions/:id/steps`: the ends of the steps from which the session can be forked; of a fork, its own. */
export function getSteps({ db }: Pick<ApiDeps, "db">): RouterMiddleware {
  return async (ctx) => {
    const session = await visibleSession(db, ctx);
    const since = await firstMoment(db, session);
    const steps = await readSteps(db, session.session_id);
    ctx.body = { steps: steps.filter(({ at_seq }) => at_seq >= since) };
  };
}
