import type { RouterContext } from "@koa/router";
import type { Submitter } from "../alerts/open-submitter.ts";
import type { ApiDeps } from "../api-deps.ts";
import { routesOf } from "../http/routes-of.ts";
import { WEBHOOKS } from "./contract.ts";
import { receiveAlertmanager } from "./receive-alertmanager.ts";
import { receivePagerDuty } from "./receive-pagerduty.ts";
import { receiveRaw } from "./receive-raw.ts";
import { webhookAccess } from "./webhook-access.ts";

/** The routes of alert sources. */
export function webhookRoutes(deps: ApiDeps & { readonly submitter: Submitter }) {
  return routesOf(
    WEBHOOKS,
    {
      receiveAlertmanager: receiveAlertmanager(deps),
      receivePagerDuty: receivePagerDuty(deps),
      receiveRaw: receiveRaw(deps),
      probeAlertmanager: answerProbe,
      probePagerDuty: answerProbe,
      probeRaw: answerProbe,
    },
    {
      receiveAlertmanager: webhookAccess(deps, "alertmanager"),
      receivePagerDuty: webhookAccess(deps, "pagerduty"),
      receiveRaw: webhookAccess(deps, "raw"),
    },
  );
}

/** The answer to GET and HEAD, with which some senders try an address: it does not say which sources are on. */
function answerProbe(ctx: RouterContext) {
  ctx.set("allow", "POST");
  return { message: "This address takes alerts: send them with POST (docs/alert-sources.md)" };
}
