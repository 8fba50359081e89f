import type { RouterContext } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import type { SourceIncident } from "../incidents/group-of-alert.ts";
import { RequestError } from "../http/request-error.ts";
import type { Submitted, Submitter } from "../alerts/open-submitter.ts";
import { receivedView } from "../alerts/submitted-view.ts";
import { requireJson, type SentAlert } from "./read-sent.ts";
import { MAX_SPLIT } from "./read-alert.ts";
import type { Webhook } from "./read-webhooks.ts";
import { alertText, withTexts } from "./alert-text.ts";
import {
  parseAlertmanager,
  type AlertmanagerAlert,
  type AlertmanagerRequest,
} from "./alertmanager-request.ts";
import { notificationStore } from "./store-notification.ts";
import { webhookKey } from "./webhook-key.ts";

/**
 * Takes bodies of Alertmanager, and of what sends the same: one session for each group and set of alerts, or with `split` for each alert. A
 * repetition is answered with the same session; what is resolved is stored and starts none.
 */
export function receiveAlertmanager(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { door, submitter } = deps;
  const store = notificationStore(deps);
  return async (ctx: RouterContext, settings: Webhook, sent: SentAlert) => {
    const { identity } = callerOf(ctx);
    const { name: source, split } = settings;
    const request = parseAlertmanager(requireJson(sent));
    if (split !== undefined && request.alerts.length > MAX_SPLIT) {
      throw new RequestError(
        400,
        `a request may have at most ${MAX_SPLIT} alerts: set max_alerts of the receiver`,
      );
    }
    const parts = split ? request.alerts.map((alert) => ({ ...request, alerts: [alert] })) : [request];
    const peer = door.addressOf(ctx.req);
    const submitted: Submitted[] = [];
    const known: string[] = [];
    for (const { data, ...part } of withTexts(parts, alertText)) {
      const firing = part.alerts.filter(({ status }) => status === "firing");
      const key = groupKey(source, part, part.alerts);
      const labels = (firing.length === 0 ? part.alerts : firing).map((alert) => ({
        ...part.commonLabels,
        ...alert.labels,
      }));
      const submission = {
        request: { data, alert_type: settings.alertTypeOf(labels) ?? null },
        mappedPriority: settings.priorityOf(labels),
        identity,
        author: source,
        peer,
        incident: incidentOf(part, settings),
      };
      if (firing.length === 0) {
        const stored = webhookKey(source, ["resolved", key.key]);
        const resolved = await submitter.submitResolved({ ...submission, keyOf: () => stored });
        if (resolved !== undefined) {
          submitted.push(resolved);
          continue;
        }
        const found = await store({ source, key: stored.key, sessionKey: key.key, body: data });
        if (found !== null) known.push(found);
        continue;
      }
      const one = await submitter.submit({ ...submission, keyOf: () => key });
      // Once the others have left the group, those that go on firing are no news.
      if (firing.length < part.alerts.length && one.sessionId !== null) {
        await submitter.alias(groupKey(source, part, firing), one.sessionId);
      }
      submitted.push(one);
    }
    ctx.status = 202;
    return receivedView(submitted, known);
  };
}

/** What Alertmanager says of the incident; with `split`, of one alert of its group. */
function incidentOf(
  { groupKey: group, alerts }: AlertmanagerRequest,
  { name: source, rule, split }: Webhook,
): SourceIncident {
  return {
    source,
    rule,
    group,
    alert: split ? JSON.stringify(alerts.map(identityOf)) : group,
    isResolved: alerts.every(({ status }) => status === "resolved"),
  };
}

/** By the group and the set of its alerts, in whichever order; a time is part of the identity of what fires again. */
function groupKey(
  source: string,
  { groupKey: group }: AlertmanagerRequest,
  alerts: readonly AlertmanagerAlert[],
) {
  const set = new Set(alerts.map((one) => JSON.stringify([identityOf(one), timeOf(one.startsAt)])));
  return webhookKey(source, [group, [...set].toSorted()]);
}

/** The fingerprint, or the labels that it is made of: not all that speak this format have one. */
function identityOf({ fingerprint, labels }: AlertmanagerAlert): unknown {
  return fingerprint || Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Senders of one pair may write the same time in different zones. */
function timeOf(text: string): number | string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : ms;
}
