import { literals } from "#shared/contracts/literals.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { Time } from "../http/common-schemas.ts";
import type { Endpoints } from "../http/endpoint.ts";

/** `sent`, `dropped` (nothing to say any more) and `dead` (given up) are final. */
const NOTIFICATION_STATES = ["pending", "sent", "dropped", "dead"] as const;

const MAX_ID = 9_999_999_999;
const Id = Type.Integer({ minimum: 1, maximum: MAX_ID });

/** A notification, as it stands in the outbox. */
export const OutboxNotification = Type.Object(
  {
    id: Id,
    session_id: Uuid,
    kind: Type.String({ description: "e.g. session.ended" }),
    destination: Type.String({ description: "slack, webhook:<name>, teams:<name> or note:<name>" }),
    dedup_key: Type.String({ description: "the webhook-id of a webhook" }),
    state: literals(NOTIFICATION_STATES),
    created_at: Time,
    next_attempt_at: Type.Optional(Time),
    attempts: Type.Integer({ minimum: 0 }),
    last_error: Type.Optional(Type.String()),
    settled_at: Type.Optional(Time),
  },
  { title: "Notification" },
);

export const NotificationsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  before: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_ID, description: "only those with a smaller id" }),
  ),
  state: Type.Optional(literals(NOTIFICATION_STATES)),
  destination: Type.Optional(Type.String()),
  session_id: Type.Optional(Uuid),
});

const NotificationsResponse = Type.Object({
  notifications: Type.Array(OutboxNotification),
  has_more: Type.Boolean(),
});

const NotificationParams = Type.Object({ notification: Id });

/** What was sent to people and other systems. */
export const NOTIFICATIONS = {
  listNotifications: {
    method: "get",
    path: "/api/v1/notifications",
    action: "notification.read",
    tag: "system",
    summary: "What was sent to Slack and to webhooks, waits or was given up, newest first",
    query: NotificationsQuery,
    responses: { 200: { description: "a page", schema: NotificationsResponse } },
  },
  retryNotification: {
    method: "post",
    path: "/api/v1/notifications/:notification/retry",
    action: "notification.retry",
    tag: "system",
    summary: "Try a notification at once that waits or was given up, with all its attempts",
    params: NotificationParams,
    responses: { 200: { description: "the notification, which waits", schema: OutboxNotification } },
    errors: [409],
  },
} as const satisfies Endpoints;
