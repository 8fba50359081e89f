import type { RouterMiddleware } from "@koa/router";
import { openEnvelope } from "#shared/alert-envelope.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { decodeJson, readJsonText } from "../http/read-json-body.ts";
import { noteUnknown } from "../http/unknown-members.ts";
import { acceptRequest } from "../alerts/accept-request.ts";
import { parseAlertRequest } from "../alerts/alert-request.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import { submittedView } from "../alerts/submitted-view.ts";

/** The body, or the alert of this form in the envelope that the body is. */
function alertOf(text: string): unknown {
  const { payload, layers } = openEnvelope(text);
  const isAlert = typeof payload === "object" && payload !== null && Object.hasOwn(payload, "data");
  return isAlert && layers.length > 0 ? payload : decodeJson(text);
}

/** `POST /api/v1/alerts`: answers 202 once the alert is committed, and wakes an executor in the background. */
export function submitAlert(deps: ApiDeps & { readonly submitter: Submitter }): RouterMiddleware {
  const { submitter } = deps;
  return async (ctx) => {
    submitter.rate.check(callerOf(ctx).identity);
    const alert = alertOf(await readJsonText(ctx, submitter.bodies));
    noteUnknown(ctx.req, alert);
    const request = parseAlertRequest(alert);
    ctx.body = submittedView(await acceptRequest(ctx, deps, request));
  };
}
