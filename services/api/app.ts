import { Router } from "@koa/router";
import Koa from "koa";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";
import { startAtZero } from "#shared/service/start-at-zero.ts";
import type { ApiDeps } from "./api-deps.ts";
import { errorHandler } from "./http/error-handler.ts";
import { cancelSession } from "./routes/cancel-session.ts";
import { deleteSession } from "./routes/delete-session.ts";
import { getAlertTypes } from "./routes/get-alert-types.ts";
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

/** Builds the HTTP app: routes, error handling, request metrics. The caller listens. */
export function buildApp(deps: ApiDeps): Koa {
  const router = new Router();
  router.post("/api/v1/alerts", submitAlert(deps));
  router.get("/api/v1/sessions/:id", getSession(deps));
  router.delete("/api/v1/sessions/:id", deleteSession(deps));
  router.get("/api/v1/sessions/:id/events", getEvents(deps));
  router.get("/api/v1/sessions/:id/timeline", getTimeline(deps));
  router.get("/api/v1/sessions/:id/trace", getTrace(deps));
  router.get("/api/v1/sessions/:id/trace/llm/:interaction", getLlmTrace(deps));
  router.post("/api/v1/sessions/:id/cancel", cancelSession(deps));
  router.get("/api/v1/alert-types", getAlertTypes(deps));
  router.get("/api/v1/system/config", getSystemConfig(deps));
  router.get("/health", getHealth(deps));

  for (const { path, methods } of router.stack) {
    if (typeof path !== "string") continue;
    startAtZero(deps.metrics.requestSeconds, { method: methods, route: [path], status: SERVER_FAILURES });
  }

  // Until there is authentication, identity headers (author) are trusted; forwarding headers (protocol, host, IP) are not.
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
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}
