import type { Middleware } from "koa";
import type { RouterContext } from "@koa/router";
import type { Submitter } from "../alerts/open-submitter.ts";
import type { ApiDeps } from "../api-deps.ts";
import { routesOf } from "../http/routes-of.ts";
import { WEBHOOKS } from "./contract.ts";
import { receiveWebhook } from "./receive-webhook.ts";
import { webhookAccess } from "./webhook-access.ts";

/** The routes of alert sources. */
export function webhookRoutes(deps: ApiDeps & { readonly submitter: Submitter }) {
  const receive = receiveWebhook(deps);
  const access = webhookAccess(deps);
  return routesOf(
    WEBHOOKS,
    {
      receiveAlertmanager: receive,
      receiveRaw: receive,
      receiveWebhook: receive,
      probeAlertmanager: answerProbe,
      probeRaw: answerProbe,
      probeWebhook: answerProbe,
    },
    { receiveAlertmanager: access, receiveRaw: access, receiveWebhook: access },
  );
}

/** The answer to GET and HEAD, with which some senders try an address: it does not say which sources are on. */
function answerProbe(ctx: RouterContext) {
  ctx.set("allow", "POST");
  return { message: "This address takes alerts: send them with POST (docs/alerts-and-notifications.md)" };
}

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
