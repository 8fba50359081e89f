import { Counter, Gauge, type Registry } from "prom-client";
import type { SettledState } from "./settle-notification.ts";

/** What became of attempts to tell someone. */
export const NOTIFICATION_RESULTS: readonly SettledState[] = ["sent", "retry", "dropped", "dead"];

export interface NotificationMetrics {
  readonly notifications: Counter<"destination" | "result">;
  readonly notificationsPending: Gauge<"destination">;
  readonly oldestNotification: Gauge<"destination">;
}

/** Creates the metrics of notifications in `registry`. */
export function createNotificationMetrics(registry: Registry): NotificationMetrics {
  const registers = [registry];
  return {
    notifications: new Counter({
      name: "tarsy_api_notifications_total",
      help: "Attempts to send a notification, by destination and by what became of it",
      labelNames: ["destination", "result"],
      registers,
    }),
    notificationsPending: new Gauge({
      name: "tarsy_api_notifications_pending",
      help: "Notifications that are to be sent, by destination",
      labelNames: ["destination"],
      registers,
    }),
    oldestNotification: new Gauge({
      name: "tarsy_api_notifications_oldest_seconds",
      help: "Age of the oldest notification that is to be sent, by destination; 0 if there is none",
      labelNames: ["destination"],
      registers,
    }),
  };
}
