import {
  NotificationParams,
  NotificationsQuery,
  NotificationsResponse,
  RetryResponse,
} from "../schemas/notifications.ts";
import type { RouteContracts } from "./legacy.ts";

/** What people and other systems are told. */
export const NOTIFICATION_CONTRACTS = {
  "GET /api/v1/notifications": {
    id: "listNotifications",
    tag: "system",
    summary: "What was sent to Slack and to webhooks, waits or was given up, newest first",
    query: NotificationsQuery,
    responses: { 200: { description: "a page", schema: NotificationsResponse } },
  },
  "POST /api/v1/notifications/:notification/retry": {
    id: "retryNotification",
    tag: "system",
    summary: "Try a notification at once that waits or was given up, with all its attempts",
    params: NotificationParams,
    responses: { 200: { description: "the notification, which waits", schema: RetryResponse } },
    errors: [409],
  },
} as const satisfies RouteContracts;
