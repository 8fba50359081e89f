import type { RouterMiddleware } from "@koa/router";
import { forbidden } from "#shared/access/access-refused.ts";
import { mayChange } from "#shared/access/authorize.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { announceFollowUp } from "../announce-follow-up.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { visibleSession } from "../http/visible-session.ts";
import { requestScore } from "../scoring/request-score.ts";

/** `POST /api/v1/sessions/:id/score`: has a judge score a session that has ended, whether or not its chain is scored by itself. */
export function scoreSession({ config, db, dispatcher, log }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const caller = callerOf(ctx);
    const { identity } = caller;
    const requested = await db.transaction(async (transaction) => {
      const session = await visibleSession(transaction, ctx, { lock: true });
      if (!mayChange(identity, session)) {
        throw forbidden("only the submitter of a session and operators may have it scored");
      }
      const askedBy = postgresSafeText(identity.name).text;
      const score = await requestScore(transaction, session, { agents: config.agents, askedBy });
      return { sessionId: session.session_id, ...score };
    });
    const { sessionId, scoreId: score_id, followUp } = requested;
    announceFollowUp(dispatcher, sessionId, followUp);
    caller.detail = { score_id };
    log.info({ session_id: sessionId, score_id }, "score requested");
    ctx.status = 202;
    ctx.body = { score_id };
  };
}
