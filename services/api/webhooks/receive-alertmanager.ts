import type { RouterContext } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import type { SourceIncident } from "../incidents/group-of-alert.ts";
import type { GroupRule } from "../incidents/group-rule.ts";
import { readBody } from "../http/read-json-body.ts";
import { RequestError } from "../http/request-error.ts";
import type { Submitted, Submitter } from "../alerts/open-submitter.ts";
import { receivedView } from "../alerts/submitted-view.ts";
import { handshakeAnswer } from "./answer-handshake.ts";
import { readSent, requireJson } from "./read-sent.ts";
import { alertText } from "./alert-text.ts";
import {
  parseAlertmanager,
  type AlertmanagerAlert,
  type AlertmanagerRequest,
} from "./alertmanager-request.ts";
import { notificationStore } from "./store-notification.ts";
import { webhookKey } from "./webhook-key.ts";
import { notConfigured } from "./webhook-access.ts";

const SOURCE = "alertmanager";
/** With `split`, more would keep the request for too long. */
const MAX_SPLIT = 1_000;

/**
 * `POST /api/v1/webhooks/alertmanager`: one session for each group and set of alerts, or with `split` for each alert. A repetition is
 * answered with the same session; what is resolved is stored and starts none.
 */
export function receiveAlertmanager(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { config, door, submitter } = deps;
  const settings = config.webhooks.alertmanager;
  const store = notificationStore(deps);
  return async (ctx: RouterContext) => {
    if (settings === undefined) throw notConfigured(SOURCE);
    const { identity } = callerOf(ctx);
    submitter.rate.check(identity);
    const sent = readSent(await readBody(ctx, submitter.bodies));
    const handshake = handshakeAnswer(sent);
    if (handshake !== undefined) return handshake;
    const request = parseAlertmanager(requireJson(sent));
    if (settings.split && request.alerts.length > MAX_SPLIT) {
      throw new RequestError(
        400,
        `a request may have at most ${MAX_SPLIT} alerts: set max_alerts of the receiver`,
      );
    }
    const parts = settings.split
      ? request.alerts.map((alert) => ({ ...request, alerts: [alert] }))
      : [request];
    const peer = door.addressOf(ctx.req);
    const submitted: Submitted[] = [];
    const known: string[] = [];
    for (const part of parts) {
      const firing = part.alerts.filter(({ status }) => status === "firing");
      const key = groupKey(part, part.alerts);
      const labels = (firing.length === 0 ? part.alerts : firing).map((alert) => ({
        ...part.commonLabels,
        ...alert.labels,
      }));
      const data = alertText(part);
      const submission = {
        request: { data, alert_type: settings.alertTypeOf(labels) ?? null },
        mappedPriority: settings.priorityOf(labels),
        identity,
        author: SOURCE,
        peer,
        incident: incidentOf(part, settings),
      };
      if (firing.length === 0) {
        const stored = webhookKey(SOURCE, ["resolved", key.key]);
        const resolved = await submitter.submitResolved({ ...submission, keyOf: () => stored });
        if (resolved !== undefined) {
          submitted.push(resolved);
          continue;
        }
        const found = await store({ source: SOURCE, key: stored.key, sessionKey: key.key, body: data });
        if (found !== null) known.push(found);
        continue;
      }
      const one = await submitter.submit({ ...submission, keyOf: () => key });
      // Once the others have left the group, those that go on firing are no news.
      if (firing.length < part.alerts.length && one.sessionId !== null) {
        await submitter.alias(groupKey(part, firing), one.sessionId);
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
  { rule, split }: { readonly rule: GroupRule | undefined; readonly split: boolean },
): SourceIncident {
  return {
    source: SOURCE,
    rule,
    group,
    alert: split ? JSON.stringify(alerts.map(identityOf)) : group,
    isResolved: alerts.every(({ status }) => status === "resolved"),
  };
}

/** By the group and the set of its alerts, in whichever order; a time is part of the identity of what fires again. */
function groupKey({ groupKey: group }: AlertmanagerRequest, alerts: readonly AlertmanagerAlert[]) {
  const set = new Set(alerts.map((one) => JSON.stringify([identityOf(one), timeOf(one.startsAt)])));
  return webhookKey(SOURCE, [group, [...set].toSorted()]);
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
