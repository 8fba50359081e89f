import type { RouterContext } from "@koa/router";
import { unauthenticated } from "#shared/access/access-refused.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { readBody } from "../http/read-json-body.ts";
import { validationError } from "../http/request-error.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import { receivedView } from "../alerts/submitted-view.ts";
import { handshakeAnswer } from "./answer-handshake.ts";
import { readSent, requireJson } from "./read-sent.ts";
import { jsonText } from "./alert-text.ts";
import { notConfigured } from "./webhook-access.ts";
import { incidentOf, isSigned, labelsOf, parsePagerDuty } from "./pagerduty-request.ts";
import { notificationStore } from "./store-notification.ts";
import { webhookKey } from "./webhook-key.ts";

const SOURCE = "pagerduty";
const TRIGGERED = "incident.triggered";
const RESOLVED = "incident.resolved";

/**
 * `POST /api/v1/webhooks/pagerduty`: one session for each incident that is triggered, or for each group of incidents; other
 * events are stored. The request must be signed with the secret of the subscription.
 */
export function receivePagerDuty(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { config, door, submitter } = deps;
  const settings = config.webhooks.pagerduty;
  const store = notificationStore(deps);
  return async (ctx: RouterContext) => {
    if (settings === undefined) throw notConfigured(SOURCE);
    const body = await readBody(ctx, submitter.bodies);
    await door.attempt(ctx.req, () => {
      if (isSigned(body.bytes, ctx.req.headers["x-pagerduty-signature"], settings.secret)) return;
      throw unauthenticated("X-PagerDuty-Signature is not that of this body with the webhook's secret");
    });
    const { identity } = callerOf(ctx);
    submitter.rate.check(identity);
    const sent = readSent(body);
    const handshake = handshakeAnswer(sent);
    if (handshake !== undefined) return handshake;
    const request = parsePagerDuty(requireJson(sent));
    const incident = incidentOf(request);
    const key = webhookKey(SOURCE, [incident]);
    ctx.status = 202;
    const { event_type: type, id: eventId } = request.event;
    const submission = {
      request: { data: jsonText(request), alert_type: settings.alertTypeOf([labelsOf(request)]) ?? null },
      mappedPriority: settings.priorityOf([labelsOf(request)]),
      identity,
      author: SOURCE,
      peer: door.addressOf(ctx.req),
    };
    const about = { source: SOURCE, rule: settings.rule, group: incident, alert: incident };
    if (type === RESOLVED && incident !== "") {
      const submitted = await submitter.submitResolved({
        ...submission,
        incident: { ...about, isResolved: true },
        keyOf: () => webhookKey(SOURCE, ["event", eventId]),
      });
      if (submitted !== undefined) {
        return receivedView([submitted]);
      }
    }
    if (type !== TRIGGERED) {
      const stored = webhookKey(SOURCE, ["event", eventId]).key;
      const known = await store({
        source: SOURCE,
        key: stored,
        sessionKey: key.key,
        body: submission.request.data,
      });
      return {
        ...(known === null ? {} : { session_id: known }),
        session_ids: known === null ? [] : [known],
        status: "known",
        message: `Stored: only ${TRIGGERED} starts a session`,
      };
    }
    if (incident === "") throw validationError("event.data.id", "must be the id of the incident, a text");
    const submitted = await submitter.submit({
      ...submission,
      incident: { ...about, isResolved: false },
      keyOf: () => key,
    });
    return receivedView([submitted]);
  };
}
