import type { RouterContext } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import type { Submitted, Submitter } from "../alerts/open-submitter.ts";
import { receivedView } from "../alerts/submitted-view.ts";
import { jsonText, withTexts } from "./alert-text.ts";
import { readAlerts } from "./read-alert.ts";
import { requireJson, type SentAlert } from "./read-sent.ts";
import type { Webhook } from "./read-webhooks.ts";
import { notificationStore } from "./store-notification.ts";
import { webhookKey } from "./webhook-key.ts";

/**
 * Takes JSON of which the source says where everything is: one session each time an incident begins. A repetition is answered with the
 * same session; what is over, and every other event, is stored and starts none.
 */
export function receiveJson(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { door, submitter } = deps;
  const store = notificationStore(deps);
  return async (ctx: RouterContext, webhook: Webhook, sent: SentAlert) => {
    const { name: source, rule } = webhook;
    // All are read before the first is stored.
    const alerts = withTexts(readAlerts(requireJson(sent), webhook), ({ value }) => jsonText(value));
    const caller = { identity: callerOf(ctx).identity, author: source, peer: door.addressOf(ctx.req) };
    const submitted: Submitted[] = [];
    const known: string[] = [];
    for (const { data, labels, incident, event, isOver } of alerts) {
      const submission = {
        ...caller,
        request: { data, alert_type: webhook.alertTypeOf([labels]) ?? null },
        mappedPriority: webhook.priorityOf([labels]),
        incident: { source, rule, group: incident, alert: incident, isResolved: isOver },
      };
      const key = webhookKey(source, event);
      if (!isOver && webhook.starts(labels)) {
        submitted.push(await submitter.submit({ ...submission, keyOf: () => key }));
        continue;
      }
      const stored = webhookKey(source, ["stored", data]);
      const over = isOver
        ? await submitter.submitResolved({ ...submission, keyOf: () => stored })
        : undefined;
      if (over !== undefined) {
        submitted.push(over);
        continue;
      }
      const found = await store({ source, key: stored.key, sessionKey: key.key, body: data });
      if (found !== null) known.push(found);
    }
    ctx.status = 202;
    return receivedView(submitted, known);
  };
}
