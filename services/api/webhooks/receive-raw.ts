import type { RouterContext } from "@koa/router";
import { validationError } from "../http/request-error.ts";
import { acceptRequest } from "../alerts/accept-request.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import { receivedView } from "../alerts/submitted-view.ts";
import { topLabels } from "./read-alert.ts";
import type { SentAlert } from "./read-sent.ts";
import type { Webhook } from "./read-webhooks.ts";

/**
 * Takes any text as an alert: `POST /api/v1/webhooks/raw?alert_type=`. `Idempotency-Key` and fingerprints are as for
 * `POST /api/v1/alerts`.
 */
export function receiveRaw({ submitter }: { readonly submitter: Submitter }) {
  return async (ctx: RouterContext, settings: Webhook, sent: SentAlert) => {
    const { alert_type: asked, priority } = ctx.query;
    if (Array.isArray(asked)) throw validationError("alert_type", "must be given once");
    if (Array.isArray(priority)) throw validationError("priority", "must be given once");
    // Of equal names the innermost counts.
    const labels = Object.fromEntries(sent.layers.flatMap((layer) => Object.entries(topLabels(layer))));
    const request = {
      data: sent.text,
      alert_type: asked ?? settings.alertTypeOf([labels]) ?? null,
      priority: priority ?? null,
    };
    const { rule } = settings;
    const incident = rule === undefined ? undefined : { source: settings.name, rule };
    const mappedPriority = settings.priorityOf([labels]);
    return receivedView([await acceptRequest(ctx, submitter, request, { incident, mappedPriority })]);
  };
}
