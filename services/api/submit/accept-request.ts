import { ownerOf } from "#shared/access/authorize.ts";
import type { RouterContext } from "@koa/router";
import type { ApiDeps } from "../api-deps.ts";
import type { SessionLane } from "#shared/contracts/subjects.ts";
import { callerOf } from "../http/caller.ts";
import type { AlertRequest } from "./alert-request.ts";
import type { Submitted, Submitter } from "./open-submitter.ts";
import { submissionKey } from "./submission-key.ts";

/**
 * Submits an alert for the caller of a route, once for each `Idempotency-Key` or fingerprint, and answers 202. The body is the
 * route's. Throws what `Submitter.submit` throws.
 */
export async function acceptRequest(
  ctx: RouterContext,
  { config, door, submitter }: Pick<ApiDeps, "config" | "door"> & { readonly submitter: Submitter },
  request: AlertRequest,
  mappedPriority?: SessionLane,
): Promise<Submitted> {
  const { identity } = callerOf(ctx);
  const submitted = await submitter.submit({
    request,
    mappedPriority,
    identity,
    peer: door.addressOf(ctx.req),
    keyOf: (alertType) =>
      submissionKey(ctx.req.headers["idempotency-key"], {
        request,
        submitter: ownerOf(identity) ?? identity.name,
        alertType,
        fingerprintPath: config.fingerprintPath,
      }),
  });
  if (submitted.isReplayed) ctx.set("idempotent-replayed", "true");
  ctx.status = 202;
  return submitted;
}
