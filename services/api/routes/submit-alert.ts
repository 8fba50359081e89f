import type { RouterMiddleware } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { acceptRequest } from "../submit/accept-request.ts";
import { parseAlertRequest } from "../submit/alert-request.ts";
import type { Submitter } from "../submit/open-submitter.ts";
import { submittedView } from "../submit/submitted-view.ts";

/** `POST /api/v1/alerts`: answers 202 once the alert is committed, and wakes an executor in the background. */
export function submitAlert(deps: ApiDeps & { readonly submitter: Submitter }): RouterMiddleware {
  const { submitter } = deps;
  return async (ctx) => {
    submitter.rate.check(callerOf(ctx).identity);
    const request = parseAlertRequest(await readJsonBody(ctx, submitter.bodies));
    ctx.body = submittedView(await acceptRequest(ctx, deps, request));
  };
}
