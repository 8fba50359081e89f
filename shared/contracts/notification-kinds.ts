import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";

/**
 * The kinds of notification for people and other systems, as webhooks name it. The database writes the rows of the outbox with these names
 * (migration 47), those about budgets the executor (`services/executor/persist/notification-parts.ts`).
 */
export const NOTIFICATION_KINDS = [
  "session.started",
  "session.ended",
  "approval.requested",
  "budget.soft_limit",
  "budget.exceeded",
] as const;
export const NotificationKind = literals(NOTIFICATION_KINDS);
export type NotificationKind = Static<typeof NotificationKind>;

/**
 * The destinations of one session's news: the kinds by destination, `slack` or `webhook:<name>`. Stored with the session when it is
 * submitted.
 */
export const NotifyPlan = Type.Record(Type.String(), Type.Array(NotificationKind));
export type NotifyPlan = Static<typeof NotifyPlan>;
