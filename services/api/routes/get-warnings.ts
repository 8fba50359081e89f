import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import type { ServerStates } from "../system/server-states.ts";
import { systemWarnings } from "../system/system-warnings.ts";

type Deps = Pick<ApiDeps, "config"> & { readonly states: Pick<ServerStates, "read"> };

/** `GET /api/v1/system/warnings`: what an operator should look at, from the configuration and the tool-runners. */
export function getWarnings({ config: { agents, stubbedServers }, states }: Deps): RouterMiddleware {
  const startedAt = new Date().toISOString();
  return async (ctx) => {
    ctx.body = {
      warnings: systemWarnings({ agents, stubbedServers, states: await states.read(), startedAt }),
    };
  };
}
