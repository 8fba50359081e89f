import type { ApiDeps } from "../api-deps.ts";
import type { Route } from "../http/route.ts";
import { receiveAlertmanager } from "../routes/receive-alertmanager.ts";
import { receivePagerDuty } from "../routes/receive-pagerduty.ts";
import { receiveRaw } from "../routes/receive-raw.ts";
import type { Submitter } from "../submit/open-submitter.ts";
import { webhookAccess } from "./webhook-access.ts";

/** What the paths of alert sources begin with. */
export const WEBHOOKS = "/api/v1/webhooks/";

/** The routes of alert sources. */
export function webhookRoutes(deps: ApiDeps & { readonly submitter: Submitter }): readonly Route[] {
  return [
    {
      method: "post",
      path: `${WEBHOOKS}alertmanager`,
      action: "alert.submit",
      access: webhookAccess(deps, "alertmanager"),
      handle: receiveAlertmanager(deps),
    },
    {
      method: "post",
      path: `${WEBHOOKS}pagerduty`,
      action: "alert.submit",
      access: webhookAccess(deps, "pagerduty"),
      handle: receivePagerDuty(deps),
    },
    {
      method: "post",
      path: `${WEBHOOKS}raw`,
      action: "alert.submit",
      access: webhookAccess(deps, "raw"),
      handle: receiveRaw(deps),
    },
  ];
}
