import type { RouterContext } from "@koa/router";
import { ownerOf } from "#shared/access/authorize.ts";
import { callerOf, type Caller } from "../http/caller.ts";
import type { AlertRequest } from "./contract.ts";
import type { Submission, Submitted, Submitter } from "./open-submitter.ts";
import { submissionKey } from "./submission-key.ts";

interface Accepted extends Pick<Submission, "incident" | "mappedPriority"> {
  readonly request: AlertRequest;
  /** By which a repetition is recognised; undefined for none. */
  readonly idempotencyKey: string | string[] | undefined;
}

/** Submits an alert for a caller, once for each key. Throws what `Submitter.submit` throws. */
export async function submitFor(
  submitter: Submitter,
  { identity, peer, channel }: Caller,
  { idempotencyKey, request, ...source }: Accepted,
): Promise<Submitted> {
  return submitter.submit({
    ...source,
    request,
    identity,
    peer,
    channel,
    keyOf: () => submissionKey(idempotencyKey, { request, submitter: ownerOf(identity) ?? identity.name }),
  });
}

/** The same for the caller of a route and its `Idempotency-Key`; answers 202. The body is the route's. */
export async function acceptRequest(
  ctx: RouterContext,
  submitter: Submitter,
  request: AlertRequest,
  source: Pick<Submission, "incident" | "mappedPriority"> = {},
): Promise<Submitted> {
  const idempotencyKey = ctx.req.headers["idempotency-key"];
  const submitted = await submitFor(submitter, callerOf(ctx), { ...source, request, idempotencyKey });
  if (submitted.isReplayed) ctx.set("idempotent-replayed", "true");
  ctx.status = 202;
  return submitted;
}
