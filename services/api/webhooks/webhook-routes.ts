import type { ApiDeps } from "../api-deps.ts";
import type { RouteRow } from "../contracts/documented-routes.ts";
import { receiveAlertmanager } from "../routes/receive-alertmanager.ts";
import { receivePagerDuty } from "../routes/receive-pagerduty.ts";
import { receiveRaw } from "../routes/receive-raw.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import { answerProbe } from "./answer-probes.ts";
import { webhookAccess } from "./webhook-access.ts";

/** What the paths of alert sources begin with. */
export const WEBHOOKS = "/api/v1/webhooks/";

/** The routes of alert sources. */
export function webhookRoutes(deps: ApiDeps & { readonly submitter: Submitter }): readonly RouteRow[] {
  const receivers = {
    alertmanager: receiveAlertmanager(deps),
    pagerduty: receivePagerDuty(deps),
    raw: receiveRaw(deps),
  };
  return (["alertmanager", "pagerduty", "raw"] as const).flatMap((source) => [
    {
      method: "post",
      path: `${WEBHOOKS}${source}`,
      action: "alert.submit",
      access: webhookAccess(deps, source),
      handle: receivers[source],
    } as const,
    { method: "get", path: `${WEBHOOKS}${source}`, action: undefined, handle: answerProbe() } as const,
  ]);
}
