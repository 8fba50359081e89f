import type { RouterMiddleware } from "@koa/router";
import { forbidden } from "#shared/access/access-refused.ts";
import { mayChange } from "#shared/access/authorize.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { visibleSession } from "../http/visible-session.ts";
import { resumeForOperator } from "../parking/change-parking.ts";

const MESSAGES = {
  resuming: "Session will resume when a slot is free",
  not_parked: "Session is not parked",
};

/**
 * `POST /api/v1/sessions/:id/resume`: a parked session goes on as soon as there is a place for it. Idempotent; 409 for one that has ended.
 */
export function resumeSession({ db, dispatcher, log, places }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const caller = callerOf(ctx);
    const resumed = await db.transaction(async (transaction) => {
      const session = await visibleSession(transaction, ctx, { lock: true });
      if (!mayChange(caller.identity, session)) {
        throw forbidden("only the submitter of a session and operators may resume it");
      }
      return { id: session.session_id, ...(await resumeForOperator(transaction, session)) };
    });
    const { id, status, events, inboxSeq, waitsIn } = resumed;
    dispatcher.publish(events);
    if (inboxSeq !== undefined) dispatcher.noticeInbox(id, inboxSeq);
    if (waitsIn !== undefined) {
      dispatcher.wake({ sessionId: id, lane: waitsIn });
      if (waitsIn === "critical") places.look();
    }
    caller.detail = { status };
    log.info({ session_id: id, status }, "resume requested");
    ctx.body = { session_id: id, status, message: MESSAGES[status] };
  };
}
