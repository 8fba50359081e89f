import { forbidden } from "#shared/access/access-refused.ts";
import { mayChange, ownerOf } from "#shared/access/authorize.ts";
import type { ApiDeps } from "../api-deps.ts";
import { maskBody } from "../http/mask-body.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { visibleSession } from "../http/visible-session.ts";
import { routesOf } from "../http/routes-of.ts";
import { STEERING } from "./contract.ts";
import { postSteering } from "./post-steering.ts";
import { parseSteering, steeringKey } from "./steering-request.ts";

const MAX_BODY_BYTES = 64 * 1024;
const BODY_BYTES_IN_FLIGHT = 4 * 1024 * 1024;

/** The route of messages to the agents of a running session, whose executor learns that there is something to read. */
export function steeringRoutes(deps: ApiDeps) {
  const { db, dispatcher, log, metrics } = deps;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/messages");
  return routesOf(STEERING, {
    async steerSession(ctx) {
      const { session_id: id } = await visibleSession(db, ctx);
      const request = parseSteering(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
      const caller = callerOf(ctx);
      const { identity } = caller;
      const key = steeringKey(
        ctx.req.headers["idempotency-key"],
        id,
        ownerOf(identity) ?? identity.name,
        request,
      );
      // Before the transaction, which locks the session's rows.
      const { content } = await mask(id, request);
      const posted = await db.transaction(async (transaction) => {
        const session = await visibleSession(transaction, ctx, { lock: true });
        if (!mayChange(identity, session)) {
          throw forbidden("only the submitter of a session and operators may write to its agents");
        }
        return postSteering(transaction, session, { ...request, ...key, content, author: identity.name });
      });
      dispatcher.publish(posted.events);
      dispatcher.noticeInbox(id, posted.inboxSeq);
      if (posted.wakeUp !== undefined) dispatcher.wake(posted.wakeUp);
      const { mode } = request;
      const { messageId: message_id, executions: execution_ids, isReplayed } = posted;
      caller.detail = { message_id, mode };
      if (isReplayed) ctx.set("idempotent-replayed", "true");
      else metrics.steered.inc({ mode });
      log.info({ session_id: id, message_id, mode }, "message to a running session");
      return { session_id: id, message_id, mode, execution_ids };
    },
  });
}
