import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { RequestError } from "../http/request-error.ts";
import type { Submitter } from "../submit/open-submitter.ts";
import { alertText } from "../webhooks/alert-text.ts";
import {
  parseAlertmanager,
  type AlertmanagerAlert,
  type AlertmanagerRequest,
} from "../webhooks/alertmanager-request.ts";
import { notificationStore } from "../webhooks/store-notification.ts";
import { webhookKey } from "../webhooks/webhook-key.ts";
import { notConfigured } from "../webhooks/not-configured.ts";

const SOURCE = "alertmanager";
/** With `split`, more would keep the request for too long. */
const MAX_SPLIT = 1_000;

/**
 * `POST /api/v1/webhooks/alertmanager`: one session for each group and set of alerts, or with `split` for each alert. A repetition is
 * answered with the same session; what is resolved is stored and starts none.
 */
export function receiveAlertmanager(deps: ApiDeps & { readonly submitter: Submitter }): RouterMiddleware {
  const { config, door, submitter } = deps;
  const settings = config.webhooks.alertmanager;
  const store = notificationStore(deps);
  return async (ctx) => {
    if (settings === undefined) throw notConfigured(SOURCE);
    const { identity } = callerOf(ctx);
    submitter.rate.check(identity);
    const request = parseAlertmanager(await readJsonBody(ctx, submitter.bodies));
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
    const sessionIds = new Set<string>();
    let isNew = false;
    for (const part of parts) {
      const firing = part.alerts.filter(({ status }) => status === "firing");
      const key = groupKey(part, part.alerts);
      if (firing.length === 0) {
        const stored = webhookKey(SOURCE, ["resolved", key.key]).key;
        const known = await store({
          source: SOURCE,
          key: stored,
          sessionKey: key.key,
          body: alertText(part),
        });
        if (known !== null) sessionIds.add(known);
        continue;
      }
      const labels = firing.map((alert) => ({ ...part.commonLabels, ...alert.labels }));
      const { sessionId, isReplayed } = await submitter.submit({
        request: { data: alertText(part), alert_type: settings.alertTypeOf(labels) ?? null },
        mappedPriority: settings.priorityOf(labels),
        identity,
        author: SOURCE,
        peer,
        keyOf: () => key,
      });
      // Once the others have left the group, those that go on firing are no news.
      if (firing.length < part.alerts.length) await submitter.alias(groupKey(part, firing), sessionId);
      isNew ||= !isReplayed;
      sessionIds.add(sessionId);
    }
    const [session_id] = sessionIds;
    ctx.status = 202;
    ctx.body = {
      ...(session_id === undefined ? {} : { session_id }),
      session_ids: [...sessionIds],
      status: isNew ? "queued" : "known",
      message: isNew ? "Alert submitted for processing" : "Nothing new: no session was started",
    };
  };
}

/** By the group and the set of its alerts, in whichever order; a time is part of the identity of what fires again. */
function groupKey({ groupKey: group }: AlertmanagerRequest, alerts: readonly AlertmanagerAlert[]) {
  const set = new Set(
    alerts.map(({ fingerprint, startsAt }) => JSON.stringify([fingerprint, timeOf(startsAt)])),
  );
  return webhookKey(SOURCE, [group, [...set].toSorted()]);
}

/** Senders of one pair may write the same time in different zones. */
function timeOf(text: string): number | string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : ms;
}
