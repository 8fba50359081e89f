import Koa from "koa";
import type { Action } from "#shared/access/authorize.ts";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";
import { startAtZero } from "#shared/service/start-at-zero.ts";
import { Router } from "@koa/router";
import { accessRoutes } from "./access/routes.ts";
import { aguiRoutes } from "./agui/routes.ts";
import { openSubmitter } from "./alerts/open-submitter.ts";
import { alertRoutes } from "./alerts/routes.ts";
import type { ApiDeps } from "./api-deps.ts";
import { approvalRoutes } from "./approvals/routes.ts";
import { budgetRoutes } from "./budgets/routes.ts";
import { cassetteRoutes } from "./cassettes/routes.ts";
import { chatRoutes } from "./chat/routes.ts";
import { comparisonRoutes } from "./comparison/routes.ts";
import { forkRoutes } from "./forks/routes.ts";
import { allow, checkSite } from "./http/access.ts";
import { compressJson } from "./http/compress-json.ts";
import { errorHandler } from "./http/error-handler.ts";
import { reserveWords } from "./http/reserve-words.ts";
import type { Route } from "./http/routes-of.ts";
import { traceRequests } from "./http/trace-requests.ts";
import { warnOfUnknown } from "./http/unknown-members.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import { incidentRoutes } from "./incidents/routes.ts";
import { memoryRoutes } from "./memories/routes.ts";
import { notificationRoutes } from "./notifications/routes.ts";
import { byPath } from "./openapi/openapi-document.ts";
import { PageFiles } from "./page/page-files.ts";
import { servePage } from "./page/serve-page.ts";
import { parkingRoutes } from "./parking/routes.ts";
import { reviewRoutes } from "./reviews/routes.ts";
import { runbookRoutes } from "./runbooks/routes.ts";
import { conclusionRoutes } from "./conclusions/routes.ts";
import { scoreRoutes } from "./scores/routes.ts";
import { sessionRoutes } from "./sessions/routes.ts";
import { steeringRoutes } from "./steering/routes.ts";
import { signInRoutes } from "./sign-in/routes.ts";
import { systemRoutes } from "./system/routes.ts";
import { traceRoutes } from "./trace/routes.ts";
import { usageRoutes } from "./usage/routes.ts";
import { webhookRoutes, allowDeliveries } from "./webhooks/routes.ts";

/** What the paths of alert sources begin with. */
const ALERT_SOURCES = "/api/v1/webhooks/";
/** Error codes of a connection that the client or the network broke. */
const BROKEN_CONNECTION = /^(?:ECONN|EPIPE|ETIMEDOUT|ERR_STREAM_|ABORT_ERR)/u;

/** The statuses that the error handler answers with when the api itself or the database fails. */
const SERVER_FAILURES = ["500", "503"];
/** After these a source of alerts does not repeat: the first one must not be missed. */
const DROPPED_BY_SOURCES = ["400", "401", "403", "404", "413", "415"];

/** A ticket changes nothing that a list shows; a message of MCP hardly ever does, and notes it itself. */
const WRITE_NOTHING: ReadonlySet<Action> = new Set<Action>(["ticket.create", "mcp.use"]);

/** Every route of the api; a fixed word of a path stands before a parameter, which would match it, too. */
export function apiRoutes(deps: ApiDeps): readonly Route[] {
  const { signIn } = deps.config;
  const submitting = { ...deps, submitter: openSubmitter(deps) };
  const routes: readonly Route[] = [
    ...accessRoutes(deps),
    ...aguiRoutes(submitting),
    ...alertRoutes(submitting),
    ...approvalRoutes(deps),
    ...budgetRoutes(deps),
    ...cassetteRoutes(deps),
    ...chatRoutes(deps),
    ...comparisonRoutes(deps),
    ...forkRoutes(submitting),
    ...incidentRoutes(deps),
    ...mcpRoutes(submitting),
    ...memoryRoutes(deps),
    ...notificationRoutes(deps),
    ...parkingRoutes(deps),
    ...reviewRoutes(deps),
    ...runbookRoutes(deps),
    ...scoreRoutes(deps),
    ...conclusionRoutes(deps),
    ...sessionRoutes(deps),
    ...(signIn === undefined ? [] : signInRoutes(signIn, deps)),
    ...steeringRoutes(deps),
    ...systemRoutes(deps, () => routes),
    ...traceRoutes(deps),
    ...usageRoutes(deps),
    ...webhookRoutes(submitting),
  ].toSorted(byPath);
  return routes;
}

/** Without doubled slashes and one at the end, which configured addresses often have. */
function plainPath(path: string): string {
  return path.replaceAll(/\/{2,}/gu, "/").replace(/(?<=.)\/$/u, "");
}

/** Builds the HTTP app: access, routes, error handling, request metrics. The caller listens. */
export function buildApp(deps: ApiDeps): Koa {
  const router = new Router();
  const routes = apiRoutes(deps);
  for (const { method, path, action, access, body, handle } of routes) {
    const checks = action === undefined ? [] : [access ?? allow(deps, action)];
    const { replica } = deps;
    const isWrite = method !== "get" && action !== undefined && !WRITE_NOTHING.has(action);
    if (replica !== undefined && isWrite) checks.push(replica.noteWriter);
    if (body !== undefined) checks.push(warnOfUnknown(body.schema, deps.masker));
    router[method](path, ...checks, handle);
  }

  for (const { path, methods } of router.stack) {
    if (typeof path !== "string") continue;
    const status = path.startsWith(ALERT_SOURCES)
      ? [...DROPPED_BY_SOURCES, ...SERVER_FAILURES]
      : SERVER_FAILURES;
    startAtZero(deps.metrics.requestSeconds, { method: methods, route: [path], status });
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
  app.use(compressJson());
  app.use(async (ctx, next) => {
    // A redirect would turn a POST into a GET.
    if (ctx.path.startsWith("/api/") || ctx.path.startsWith("//")) ctx.path = plainPath(ctx.path);
    await next();
  });
  app.use(traceRequests(deps));
  app.use(async (ctx, next) => {
    const stop = deps.metrics.requestSeconds.startTimer({ method: ctx.method });
    await next();
    const matched: unknown = ctx["_matchedRoute"];
    stop({ route: typeof matched === "string" ? matched : "unmatched", status: String(ctx.status) });
  });
  app.use(errorHandler(deps.log, deps.config.signIn !== undefined));
  app.use(checkSite(deps));
  app.use(servePage(new PageFiles(deps.config.pageDirectory)));
  app.use(allowDeliveries(ALERT_SOURCES));
  app.use(reserveWords("/api/v1/sessions", routes));
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}
