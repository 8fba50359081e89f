import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { visibleSession } from "../http/visible-session.ts";

/** A list of a session that is always empty, because nothing fills it yet; 404 as for its other routes. */
export function emptyListOfSession({ db }: Pick<ApiDeps, "db">): RouterMiddleware {
  return async (ctx) => {
    await visibleSession(db, ctx);
    ctx.body = [];
  };
}
