import type { Middleware } from "koa";

/**
 * Answers the OPTIONS with which a sender of CloudEvents asks whether it may deliver to the paths of `prefix`
 * (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/http-webhook.md). Each delivery needs its credentials all the same.
 */
export function allowDeliveries(prefix: string): Middleware {
  return async (ctx, next) => {
    const origin = ctx.get("webhook-request-origin");
    if (ctx.method !== "OPTIONS" || origin === "" || !ctx.path.startsWith(prefix)) {
      await next();
      return;
    }
    ctx.set({ allow: "POST", "webhook-allowed-origin": origin, "webhook-allowed-rate": "*" });
    ctx.status = 200;
    ctx.body = "";
  };
}
