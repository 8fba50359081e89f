import type { RouterMiddleware } from "@koa/router";
import { ownerOf } from "#shared/access/authorize.ts";
import type { ApiDeps } from "../api-deps.ts";
import { forkKey, takeForkKey } from "../forks/fork-key.ts";
import { parseForkRequest } from "../forks/fork-request.ts";
import { forkSession, type StoredFork } from "../forks/fork-session.ts";
import { retrySerialization } from "../forks/retry-serialization.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { maskBody } from "../http/mask-body.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { visibleSession } from "../http/visible-session.ts";
import type { Submitter } from "../alerts/open-submitter.ts";

/** An edited result has at most a million characters, each of up to six bytes in JSON. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const BODY_BYTES_IN_FLIGHT = 32 * 1024 * 1024;

/**
 * `POST /api/v1/sessions/:id/fork`: stores a session that goes on from the end of a step of this one, with changes, and wakes an executor.
 * Answers 202 with its id. Counts as a submission, and an `Idempotency-Key` makes it once.
 */
export function forkSessionRoute(deps: ApiDeps & { readonly submitter: Submitter }): RouterMiddleware {
  const { config, db, dispatcher, log, metrics, submitter } = deps;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/fork");
  return async (ctx) => {
    const caller = callerOf(ctx);
    const { identity } = caller;
    submitter.rate.check(identity);
    const { session_id: parent } = await visibleSession(db, ctx);
    const asked = parseForkRequest(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
    const key = forkKey(
      ctx.req.headers["idempotency-key"],
      ownerOf(identity) ?? identity.name,
      parent,
      asked,
    );
    const request = await mask(parent, asked);
    const stored = await retrySerialization(async () =>
      db.transaction(async (transaction): Promise<StoredFork & { readonly isReplayed: boolean }> => {
        await transaction.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        const session = await visibleSession(transaction, ctx);
        const fork = { ...request, session, identity, config: config.agents };
        if (key === undefined) return { ...(await forkSession(transaction, fork)), isReplayed: false };
        return takeForkKey(transaction, key, async () => forkSession(transaction, fork));
      }),
    );
    const { sessionId: session_id, atSeq: at_seq, lane, isReplayed } = stored;
    caller.detail = { fork: session_id, at_seq, tools: request.tools };
    if (isReplayed) ctx.set("idempotent-replayed", "true");
    else {
      metrics.accepted.inc();
      dispatcher.wake({ sessionId: session_id, lane });
      log.info({ session_id, forked_from: parent, at_seq }, "session forked");
    }
    ctx.status = 202;
    ctx.body = { session_id, at_seq };
  };
}
