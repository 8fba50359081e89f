import { Type } from "#shared/generated/typebox/typebox.mjs";
import { authorize } from "#shared/access/authorize.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { rowMembers } from "#shared/database/tables/row-members.ts";
import { ALERT_SESSIONS } from "#shared/database/tables/alert-sessions.ts";
import { reviewSession } from "../../reviews/review-session.ts";
import { settleEvent, type Settled } from "../events/event-store.ts";
import type { DeedOf } from "../events/external-event.ts";
import type { SlackDeps } from "../slack-deps.ts";
import { DeedRefused, type Deed, type Done } from "./effect.ts";
import { sessionOf, visibleHere } from "./thread-session.ts";

export const REVIEW = "session.review";
const parseReview = compileParser(
  "review",
  Type.Object(rowMembers(ALERT_SESSIONS, "assignee", "quality_rating")),
);
const READ =
  "SELECT assignee, quality_rating FROM alert_sessions WHERE session_id = $1 AND review_status = 'reviewed'";

/** Returns what a thumb on a message about a session does: it reviews the session; taken back, the same person's review is opened again. */
export function handleReactions(deps: SlackDeps): (reaction: Deed<DeedOf<"reaction">>) => Promise<Done> {
  return async ({ event, deed, caller }) => {
    authorize(caller.identity, REVIEW);
    const sessionId = await sessionOf(deps.db, deed, "message");
    if (sessionId === undefined) throw new DeedRefused(REVIEW, "no session belongs to this message");
    return review(deps, { event, caller }, { ...deed, sessionId });
  };
}

interface Rated extends Pick<DeedOf<"reaction">, "rating" | "is_removed"> {
  readonly sessionId: string;
  /** What is said about it. */
  readonly said?: Pick<Settled, "awaits" | "result">;
}

/** Reviews a session, or opens the person's review again, in the transaction of the event's end. */
export async function review(
  { db, dispatcher }: SlackDeps,
  { event, caller: { identity } }: Pick<Deed, "event" | "caller">,
  { sessionId, rating, is_removed, said }: Rated,
): Promise<Done> {
  const action = is_removed ? "reopen" : "complete";
  const events = await db.transaction(async (transaction) => {
    const session = await visibleHere(transaction, sessionId, identity, { lock: true });
    if (session === undefined) throw new DeedRefused(REVIEW, "not found", { sessionId });
    await settleEvent(transaction, event, { state: "done", result: { session_id: sessionId }, ...said });
    const isOther =
      is_removed && !(await isReviewOf(transaction, { sessionId, name: identity.name, rating }));
    if (isOther) return [];
    const reviewed = await reviewSession(
      // The review is committed with the event.
      { transaction: (work) => work(transaction) },
      sessionId,
      {
        action,
        fields: is_removed ? {} : { quality_rating: rating },
        expected: undefined,
        identity,
      },
    );
    if (!reviewed.isReviewed) throw new DeedRefused(REVIEW, reviewed.why, { sessionId });
    return reviewed.events;
  });
  dispatcher.publish(events);
  return { action: REVIEW, sessionId, detail: { action, rating } };
}

async function isReviewOf(
  transaction: Queryable,
  { sessionId, name, rating }: { readonly sessionId: string; readonly name: string; readonly rating: string },
): Promise<boolean> {
  const [found] = await selectRows(transaction, parseReview, READ, [sessionId]);
  return found !== undefined && found.assignee === name && found.quality_rating === rating;
}
