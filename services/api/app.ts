import { Router, type RouterMiddleware } from "@koa/router";
import Koa from "koa";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";
import type { Action } from "#shared/access/authorize.ts";
import { startAtZero } from "#shared/service/start-at-zero.ts";
import type { ApiDeps } from "./api-deps.ts";
import { allow, checkSite } from "./http/access.ts";
import { errorHandler } from "./http/error-handler.ts";
import { cancelSession } from "./routes/cancel-session.ts";
import { deleteSession } from "./routes/delete-session.ts";
import { getAlertTypes } from "./routes/get-alert-types.ts";
import { createTicket } from "./routes/create-ticket.ts";
import { getAudit } from "./routes/get-audit.ts";
import { getEvents } from "./routes/get-events.ts";
import { getHealth } from "./routes/get-health.ts";
import { getLlmTrace } from "./routes/get-llm-trace.ts";
import { getSession } from "./routes/get-session.ts";
import { getSystemConfig } from "./routes/get-system-config.ts";
import { getTimeline } from "./routes/get-timeline.ts";
import { getTrace } from "./routes/get-trace.ts";
import { submitAlert } from "./routes/submit-alert.ts";

/** Error codes of a connection that the client or the network broke. */
const BROKEN_CONNECTION = /^(?:ECONN|EPIPE|ETIMEDOUT|ERR_STREAM_|ABORT_ERR)/u;

/** The statuses that the error handler answers with when the api itself or the database fails. */
const SERVER_FAILURES = ["500", "503"];

interface Route {
  readonly method: "get" | "post" | "delete";
  readonly path: string;
  /** What it needs a role for; undefined if everybody may use it. */
  readonly action: Action | undefined;
  readonly handle: RouterMiddleware;
}

/** Every route of the api. */
export function routesOf(deps: ApiDeps): readonly Route[] {
  const session = "/api/v1/sessions/:id";
  return [
    { method: "post", path: "/api/v1/alerts", action: "alert.submit", handle: submitAlert(deps) },
    { method: "get", path: session, action: "session.read", handle: getSession(deps) },
    { method: "delete", path: session, action: "session.delete", handle: deleteSession(deps) },
    { method: "get", path: `${session}/events`, action: "session.read", handle: getEvents(deps) },
    { method: "get", path: `${session}/timeline`, action: "session.read", handle: getTimeline(deps) },
    { method: "get", path: `${session}/trace`, action: "trace.read", handle: getTrace(deps) },
    {
      method: "get",
      path: `${session}/trace/llm/:interaction`,
      action: "trace.read",
      handle: getLlmTrace(deps),
    },
    { method: "post", path: `${session}/cancel`, action: "session.cancel", handle: cancelSession(deps) },
    { method: "get", path: "/api/v1/alert-types", action: "alert_types.read", handle: getAlertTypes(deps) },
    { method: "get", path: "/api/v1/system/config", action: "config.read", handle: getSystemConfig(deps) },
    { method: "get", path: "/api/v1/audit", action: "audit.read", handle: getAudit(deps) },
    { method: "post", path: "/api/v1/ws-ticket", action: "ticket.create", handle: createTicket(deps) },
    { method: "get", path: "/health", action: undefined, handle: getHealth(deps) },
  ];
}

/** Builds the HTTP app: access, routes, error handling, request metrics. The caller listens. */
export function buildApp(deps: ApiDeps): Koa {
  const router = new Router();
  for (const { method, path, action, handle } of routesOf(deps)) {
    if (action === undefined) router[method](path, handle);
    else router[method](path, allow(deps, action), handle);
  }

  for (const { path, methods } of router.stack) {
    if (typeof path !== "string") continue;
    startAtZero(deps.metrics.requestSeconds, { method: methods, route: [path], status: SERVER_FAILURES });
  }

  // Koa would believe any client's forwarding headers; shared/access/client-address.ts believes those of trusted proxies.
  const app = new Koa({ proxy: false });
  app.silent = true;
  app.on("error", (error: NodeJS.ErrnoException) => {
    const isBrokenConnection = BROKEN_CONNECTION.test(error.code ?? "");
    deps.log[isBrokenConnection ? "debug" : "error"]({ error: error.message }, "response aborted");
  });
  app.use(async (ctx, next) => {
    ctx.set(SECURITY_HEADERS);
    await next();
  });
  app.use(async (ctx, next) => {
    const stop = deps.metrics.requestSeconds.startTimer({ method: ctx.method });
    await next();
    const matched: unknown = ctx["_matchedRoute"];
    stop({ route: typeof matched === "string" ? matched : "unmatched", status: String(ctx.status) });
  });
  app.use(errorHandler(deps.log));
  app.use(checkSite(deps));
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}
