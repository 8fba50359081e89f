import type { InsertedFollowUp } from "#shared/database/insert-follow-up.ts";
import { FOLLOWUP_LANE } from "#shared/contracts/subjects.ts";
import type { Dispatcher } from "./dispatcher.ts";

/**
 * Publishes the events of a follow-up, and tells the executor that owns its session, or wakes one. To be called after the commit
 * that inserted it; without NATS the sweeper wakes an executor later.
 */
export function announceFollowUp(
  dispatcher: Pick<Dispatcher, "publish" | "noticeInbox" | "wake">,
  sessionId: string,
  { events, inboxSeq, isOwned }: Pick<InsertedFollowUp, "events" | "inboxSeq" | "isOwned">,
): void {
  dispatcher.publish(events);
  dispatcher.noticeInbox(sessionId, inboxSeq);
  if (!isOwned) dispatcher.wake({ sessionId, lane: FOLLOWUP_LANE });
}
