import type { Middleware } from "koa";
import { carrierIn } from "#shared/telemetry/trace-carrier.ts";
import { inSpan, isTracing } from "#shared/telemetry/tracing.ts";

/** Monitoring asks every few seconds. */
const UNTRACED = "/health";

/** Gives each request a span that continues the trace in its header `traceparent`, if it has one. */
export function traceRequests(): Middleware {
  return async (ctx, next) => {
    if (!isTracing() || ctx.path === UNTRACED) {
      await next();
      return;
    }
    const { method, headers } = ctx.req;
    const parent = carrierIn((name) => headers[name]?.toString()) ?? null;
    const attributes = { "http.request.method": method, "url.path": ctx.path, "url.scheme": "http" };
    await inSpan(String(method), { kind: "server", parent, attributes }, async (span) => {
      await next();
      const matched: unknown = ctx["_matchedRoute"];
      const route = typeof matched === "string" ? matched : undefined;
      if (route !== undefined) span.rename(`${method} ${route}`);
      span.set({ "http.route": route, "http.response.status_code": ctx.status });
      if (ctx.status >= 500) span.fail(String(ctx.status));
    });
  };
}
