import { forbidden } from "#shared/access/access-refused.ts";
import { mayChange } from "#shared/access/authorize.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { announceFollowUp } from "../announce-follow-up.ts";
import type { ApiDeps } from "../api-deps.ts";
import { callerOf } from "../http/caller.ts";
import { RequestError } from "../http/request-error.ts";
import { routesOf } from "../http/routes-of.ts";
import { visibleSession } from "../http/visible-session.ts";
import { SCORES } from "./contract.ts";
import { readScores } from "./read-scores.ts";
import { requestScore } from "./request-score.ts";

/** The routes of scores. A session can be scored whether or not its chain is scored by itself; one without a score is answered 404. */
export const scoreRoutes = ({ config, db, orm, dispatcher, log }: ApiDeps) =>
  routesOf(SCORES, {
    async scoreSession(ctx) {
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
      return { score_id };
    },

    async getScore(ctx) {
      const { newest } = await orm.snapshot(async (manager) => {
        const { session_id } = await visibleSession(manager, ctx);
        return readScores(manager, session_id);
      });
      if (newest === null) throw new RequestError(404, "the session has no score");
      const { follow_up_id: _followUp, session_id: _session, ...score } = newest;
      return score;
    },
  });
