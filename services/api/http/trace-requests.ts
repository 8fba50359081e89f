import type { Middleware } from "koa";
import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import type { Masker } from "#shared/masking/masker.ts";
import { RULES_OF_NAMES } from "#shared/masking/masking-rules.ts";
import { carrierIn, type TraceCarrier } from "#shared/telemetry/trace-carrier.ts";
import { inSpan, isTracing } from "#shared/telemetry/tracing.ts";

/** Monitoring asks every few seconds. */
const UNTRACED = "/health";

/** What a caller keeps in `tracestate` is its own, and goes on to models and tools: it is left out if there is a secret in it. */
export async function withoutSecrets(
  carrier: TraceCarrier | undefined,
  masker: Pick<Masker, "mask">,
): Promise<TraceCarrier | null> {
  if (carrier?.tracestate === undefined) return carrier ?? null;
  const { traceparent, tracestate } = carrier;
  const text = await maskOrWithhold(masker, tracestate, RULES_OF_NAMES);
  return text === tracestate ? carrier : { traceparent };
}

/** Gives each request a span that continues the trace in its header `traceparent`, if it has one. */
export function traceRequests({ masker }: { readonly masker: Pick<Masker, "mask"> }): Middleware {
  return async (ctx, next) => {
    if (!isTracing() || ctx.path === UNTRACED) {
      await next();
      return;
    }
    const { method, headers } = ctx.req;
    const parent = await withoutSecrets(
      carrierIn((name) => headers[name]?.toString()),
      masker,
    );
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
