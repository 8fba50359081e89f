import type { RouterMiddleware } from "@koa/router";
import { allows, seesAll } from "#shared/access/authorize.ts";
import { isPersonal, ROLES } from "#shared/access/identity.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";

/** `GET /api/v1/me`: who the caller is, and what it is offered for that reason. */
export function getMe({ config }: Pick<ApiDeps, "config">): RouterMiddleware {
  return (ctx) => {
    const { identity } = callerOf(ctx);
    const { name, roles, teams } = identity;
    ctx.body = {
      ...(isPersonal(identity) ? { name } : {}),
      role: ROLES.findLast((role) => roles.includes(role)),
      teams,
      sees_all: seesAll(identity),
      may_submit: allows(identity, "alert.submit"),
      may_review: allows(identity, "session.review"),
      memory_enabled: config.agents.defaults.memory.enabled,
    };
  };
}
