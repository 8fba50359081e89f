import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";

/** TODO */
export function getComparison(_deps: Pick<ApiDeps, "db">): RouterMiddleware {
  return (ctx) => {
    ctx.body = {};
  };
}
