import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { RequestError } from "../http/request-error.ts";
import { visibleSession } from "../http/visible-session.ts";
import { readScores } from "../scoring/read-scores.ts";

/** `GET /api/v1/sessions/:id/score`: the newest score of a session, whatever its state; 404 if there is none. */
export function getScore({ orm }: Pick<ApiDeps, "orm">): RouterMiddleware {
  return async (ctx) => {
    const { newest } = await orm.transaction("REPEATABLE READ", async (manager) => {
      const { session_id } = await visibleSession(manager, ctx);
      return readScores(manager, session_id);
    });
    if (newest === null) throw new RequestError(404, "the session has no score");
    const { follow_up_id: _followUp, session_id: _session, ...score } = newest;
    ctx.body = score;
  };
}
