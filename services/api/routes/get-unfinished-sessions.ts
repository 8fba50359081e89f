import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { readActive, readQueued } from "../sessions/read-unfinished.ts";

/** `GET /api/v1/sessions/active`: the sessions that run, and those that wait for an executor with their place in the queue. */
export function getActiveSessions({ orm: { manager } }: Pick<ApiDeps, "orm">): RouterMiddleware {
  return async (ctx) => {
    const { identity } = callerOf(ctx);
    const active = await readActive(manager, identity);
    ctx.body = { active, queued: await readQueued(manager, identity) };
  };
}

/** `GET /api/v1/sessions/queued`: those that wait alone. */
export function getQueuedSessions({ orm: { manager } }: Pick<ApiDeps, "orm">): RouterMiddleware {
  return async (ctx) => {
    ctx.body = { queued: await readQueued(manager, callerOf(ctx).identity) };
  };
}
