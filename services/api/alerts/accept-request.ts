import { ownerOf } from "#shared/access/authorize.ts";
import type { RouterContext } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import type { AlertRequest } from "./contract.ts";
import type { Submission, Submitted, Submitter } from "./open-submitter.ts";
import { submissionKey } from "./submission-key.ts";

/**
 * Submits an alert for the caller of a route, once for each `Idempotency-Key`, and answers 202. The body is the route's. Throws what `Submitter.submit` throws.
 */
export async function acceptRequest(
  ctx: RouterContext,
  { door, submitter }: Pick<ApiDeps, "door"> & { readonly submitter: Submitter },
  request: AlertRequest,
  { incident, mappedPriority }: Pick<Submission, "incident" | "mappedPriority"> = {},
): Promise<Submitted> {
  const { identity } = callerOf(ctx);
  const submitted = await submitter.submit({
    request,
    mappedPriority,
    identity,
    peer: door.addressOf(ctx.req),
    keyOf: () =>
      submissionKey(ctx.req.headers["idempotency-key"], {
        request,
        submitter: ownerOf(identity) ?? identity.name,
      }),
    ...(incident === undefined ? {} : { incident }),
  });
  if (submitted.isReplayed) ctx.set("idempotent-replayed", "true");
  ctx.status = 202;
  return submitted;
}
