import type { RouterContext } from "@koa/router";
import type { Labels } from "#shared/agent-config/label-matcher.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { readBody } from "../http/read-json-body.ts";
import { validationError } from "../http/request-error.ts";
import { acceptRequest } from "../alerts/accept-request.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import { receivedView } from "../alerts/submitted-view.ts";
import { handshakeAnswer } from "./answer-handshake.ts";
import { notConfigured } from "./webhook-access.ts";
import { readSent } from "./read-sent.ts";

/**
 * `POST /api/v1/webhooks/raw?alert_type=`: the body is the alert, any text. `Idempotency-Key` and fingerprints are as for
 * `POST /api/v1/alerts`.
 */
export function receiveRaw(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { config, submitter } = deps;
  const settings = config.webhooks.raw;
  return async (ctx: RouterContext) => {
    if (settings === undefined) throw notConfigured("raw");
    submitter.rate.check(callerOf(ctx).identity);
    const { alert_type: asked, priority } = ctx.query;
    if (Array.isArray(asked)) throw validationError("alert_type", "must be given once");
    if (Array.isArray(priority)) throw validationError("priority", "must be given once");
    const sent = readSent(await readBody(ctx, submitter.bodies));
    const handshake = handshakeAnswer(sent);
    if (handshake !== undefined) return handshake;
    // Of equal names the innermost counts.
    const labels = Object.fromEntries(sent.layers.flatMap((layer) => Object.entries(topLabels(layer))));
    const request = {
      data: sent.text,
      alert_type: asked ?? settings.alertTypeOf([labels]) ?? null,
      priority: priority ?? null,
    };
    const { rule } = settings;
    const incident = rule === undefined ? undefined : { source: "raw", rule };
    const mappedPriority = settings.priorityOf([labels]);
    return receivedView([await acceptRequest(ctx, submitter, request, { incident, mappedPriority })]);
  };
}

/** The texts at the top of a JSON object. */
function topLabels(value: unknown): Labels {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
