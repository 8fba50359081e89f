import type { RouterContext } from "@koa/router";
import { unauthenticated } from "#shared/access/access-refused.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { Body } from "../http/body-text.ts";
import { callerOf } from "../http/caller.ts";
import { readBody } from "../http/read-json-body.ts";
import { handshakeAnswer } from "./answer-handshake.ts";
import { readSent, type SentAlert } from "./read-sent.ts";
import { receiveAlertmanager } from "./receive-alertmanager.ts";
import { receiveJson } from "./receive-json.ts";
import { snsVerifier } from "./verify-sns.ts";
import { notConfigured, sourceOf } from "./webhook-access.ts";
import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { secretEquals } from "#shared/access/secret-equals.ts";
import type { HmacVerification, Webhook } from "./read-webhooks.ts";
import { validationError } from "../http/request-error.ts";
import { acceptRequest } from "../alerts/accept-request.ts";
import { receivedView } from "../alerts/submitted-view.ts";
import { topLabels } from "./read-alert.ts";

/**
 * Takes any text as an alert: `POST /api/v1/webhooks/raw?alert_type=`. `Idempotency-Key` and fingerprints are as for
 * `POST /api/v1/alerts`.
 */
function receiveRaw({ submitter }: { readonly submitter: Submitter }) {
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

/** There are several while a secret is replaced. */
const MAX_SIGNATURES = 10;
const MAX_AGE_MS = 5 * 60_000;

/** True if one of the signatures in the source's header is that of the body, and of a time at most 5 minutes away if it has one. */
function isSigned(
  body: Buffer,
  headers: IncomingHttpHeaders,
  { secret, header, prefix, encoding, timestampHeader, signed }: HmacVerification,
  nowMs = Date.now(),
): boolean {
  const timestamp = timestampHeader === undefined ? "" : String(headers[timestampHeader.toLowerCase()]);
  if (timestampHeader !== undefined && !(Math.abs(nowMs - Number(timestamp) * 1_000) <= MAX_AGE_MS)) {
    return false;
  }
  const [before = "", after = ""] = signed.replaceAll("{timestamp}", () => timestamp).split("{body}", 2);
  const digest = createHmac("sha256", secret).update(before).update(body).update(after).digest(encoding);
  return String(headers[header.toLowerCase()] ?? "")
    .split(",", MAX_SIGNATURES)
    .some((signature) => secretEquals(signature.trim(), `${prefix}${digest}`));
}

/** `POST /api/v1/webhooks/:source`: a body of one of the sources of tarsy.yaml. A signature is checked before anything is read of it. */
export function receiveWebhook(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { config, door, submitter } = deps;
  const formats = {
    text: receiveRaw(deps),
    json: receiveJson(deps),
    alertmanager: receiveAlertmanager(deps),
  };
  const verifySns = snsVerifier({ outbound: deps.outbound, originOf: deps.snsOrigin });
  return async (ctx: RouterContext) => {
    const source = sourceOf(ctx);
    const webhook = config.webhooks.get(source);
    if (webhook === undefined) throw notConfigured(source);
    const { verification } = webhook;
    const verify = async (body: Body) => {
      if (verification?.type === "sns") return verifySns(body, verification.topics);
      if (verification?.type !== "hmac" || isSigned(body.bytes, ctx.req.headers, verification)) {
        return undefined;
      }
      const { header, timestampHeader } = verification;
      const time =
        timestampHeader === undefined ? "" : `, or ${timestampHeader} is not of the last 5 minutes`;
      throw unauthenticated(`${header} is not that of this body with the webhook's secret${time}`);
    };
    const isProven = verification === undefined || verification.type === "token";
    if (isProven) submitter.rate.check(callerOf(ctx).identity);
    const body = await readBody(ctx, submitter.bodies);
    const confirmed = await door.attempt(ctx.req, async () => verify(body));
    if (!isProven) submitter.rate.check(callerOf(ctx).identity);
    if (confirmed !== undefined) return confirmed;
    const sent = readSent(body);
    return handshakeAnswer(sent) ?? formats[webhook.format](ctx, webhook, sent);
  };
}
