import type { SocketMessage } from "#shared/contract-view/socket-message.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { PlanNumbering } from "./plan-numbering.ts";
import { translateProgress } from "./translate-progress.ts";

/**
 * A session's event as the message of the channel `sessions`; undefined if its clients do not get it. Only progress needs
 * the plan.
 */
export function translateForAll(
  { payload, db_event_id }: SessionEvent,
  plan: PlanNumbering | undefined,
): SocketMessage | undefined {
  switch (payload.type) {
    case "session.status":
      return isTerminal(payload.status) ? undefined : { ...payload, type: "session.status", db_event_id };
    case "session.completed":
      return { ...payload, type: "session.status", db_event_id };
    case "session.progress":
      return plan && translateProgress(payload, plan);
    case "approval.requested":
    case "approval.decided":
    case "review.status":
      return { ...payload, db_event_id };
    default:
      return undefined;
  }
}
