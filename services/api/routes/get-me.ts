import type { RouterMiddleware } from "@koa/router";
import { ACTION_NAMES, allows, seesAll } from "#shared/access/authorize.ts";
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
      actions: ACTION_NAMES.filter((action) => allows(identity, action)),
      memory_enabled: config.agents.defaults.memory.enabled,
    };
  };
}
