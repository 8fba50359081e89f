import type { RouterMiddleware } from "@koa/router";
import { errorMessage } from "#shared/errors.ts";
import type { ApiDeps } from "../api-deps.ts";

/**
 * `GET /api/v1/runbooks`: the addresses of the runbooks below `system.runbooks.repo_url`, as a tool-runner lists them. Empty without
 * that key and if they cannot be listed: the form for alerts works without them.
 */
export function getRunbooks({
  config,
  dispatcher,
  log,
}: Pick<ApiDeps, "config" | "dispatcher" | "log">): RouterMiddleware {
  const isListed = config.agents.system.runbooks?.repo_url !== undefined;
  return async (ctx) => {
    try {
      ctx.body = isListed ? await dispatcher.listRunbooks() : [];
    } catch (error) {
      log.warn({ error: errorMessage(error) }, "runbooks not listed");
      ctx.body = [];
    }
  };
}
