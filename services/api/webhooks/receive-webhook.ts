import type { RouterContext } from "@koa/router";
import { unauthenticated } from "#shared/access/access-refused.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { Body } from "../http/body-text.ts";
import { callerOf } from "../http/caller.ts";
import { readBody } from "../http/read-json-body.ts";
import { handshakeAnswer } from "./answer-handshake.ts";
import { readSent } from "./read-sent.ts";
import { receiveAlertmanager } from "./receive-alertmanager.ts";
import { receiveJson } from "./receive-json.ts";
import { receiveRaw } from "./receive-raw.ts";
import { isSigned } from "./verify-hmac.ts";
import { snsVerifier } from "./verify-sns.ts";
import { notConfigured, sourceOf } from "./webhook-access.ts";

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
