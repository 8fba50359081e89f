import { Type } from "#shared/generated/typebox/typebox.mjs";
import { authorize } from "#shared/access/authorize.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { ALERT_SESSIONS } from "#shared/database/tables/alert-sessions.ts";
import { reviewSession } from "../../reviews/review-session.ts";
import { settleEvent } from "../events/event-store.ts";
import type { DeedOf } from "../events/external-event.ts";
import type { SlackDeps } from "../slack-deps.ts";
import { DeedRefused, type Deed, type Done } from "./effect.ts";
import { sessionOf, visibleHere } from "./thread-session.ts";

const ACTION = "session.review";
const parseReview = compileParser(
  "review",
  Type.Object(rowMembers(ALERT_SESSIONS, "assignee", "quality_rating")),
);
const READ =
  "SELECT assignee, quality_rating FROM alert_sessions WHERE session_id = $1 AND review_status = 'reviewed'";

/** Returns what a thumb on a message about a session does: it reviews the session; taken back, the same person's review is opened again. */
export function handleReactions(deps: SlackDeps): (reaction: Deed<DeedOf<"reaction">>) => Promise<Done> {
  const { db, dispatcher } = deps;
  return async ({ event, deed, identity }) => {
    const { rating, is_removed } = deed;
    const silent = { isSilent: true };
    authorize(identity, ACTION);
    const sessionId = await sessionOf(db, deed, "message");
    if (sessionId === undefined) throw new DeedRefused(ACTION, "no session belongs to this message", silent);
    const events = await db.transaction(async (transaction) => {
      const session = await visibleHere(transaction, sessionId, identity, { lock: true });
      if (session === undefined) throw new DeedRefused(ACTION, "not found", { sessionId, ...silent });
      const isOther =
        is_removed && !(await isReviewOf(transaction, { sessionId, name: identity.name, rating }));
      if (isOther) {
        await settleEvent(transaction, event, { state: "done", result: { session_id: sessionId } });
        return [];
      }
      const reviewed = await reviewSession(
        // The review is committed with the event.
        { transaction: (work) => work(transaction) },
        sessionId,
        {
          action: is_removed ? "reopen" : "complete",
          fields: is_removed ? {} : { quality_rating: rating },
          expected: undefined,
          identity,
        },
      );
      if (!reviewed.isReviewed) throw new DeedRefused(ACTION, reviewed.why, { sessionId, ...silent });
      await settleEvent(transaction, event, { state: "done", result: { session_id: sessionId } });
      return reviewed.events;
    });
    dispatcher.publish(events);
    return { action: ACTION, sessionId, detail: { action: is_removed ? "reopen" : "complete", rating } };
  };
}

async function isReviewOf(
  transaction: Queryable,
  { sessionId, name, rating }: { readonly sessionId: string; readonly name: string; readonly rating: string },
): Promise<boolean> {
  const [review] = await selectRows(transaction, parseReview, READ, [sessionId]);
  return review !== undefined && review.assignee === name && review.quality_rating === rating;
}
