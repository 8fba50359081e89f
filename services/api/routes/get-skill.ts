import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { RequestError } from "../http/request-error.ts";

/** `GET /api/v1/system/config/skills/:name`: a skill with its text; 404 if the configuration has none of this name. */
export function getSkill({ config: { agents } }: Pick<ApiDeps, "config">): RouterMiddleware {
  return (ctx) => {
    const skill = agents.skills.get(ctx.params["name"] ?? "");
    if (skill === undefined) throw new RequestError(404, "skill not found");
    const { name, description, body } = skill;
    ctx.body = { name, description, body };
  };
}
