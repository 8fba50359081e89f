import type { Database } from "#shared/database/database.ts";
import { errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { NotificationMetrics } from "./notification-metrics.ts";
import { readOutboxState } from "./read-outbox-state.ts";

const EVERY_MS = 15_000;

/**
 * Until `signal` aborts: every 15 s shows in the metrics how much is to be sent and for how long it has waited, also to destinations
 * that this api does not know. Each api shows the same. Never throws.
 */
export async function watchOutbox(
  {
    db,
    log,
    metrics,
    destinations,
  }: {
    readonly db: Database;
    readonly log: Logger;
    readonly metrics: Pick<NotificationMetrics, "notificationsPending" | "oldestNotification">;
    /** The names that are shown also while nothing waits. */
    readonly destinations: readonly string[];
  },
  signal: AbortSignal,
): Promise<void> {
  const shown = new Set(destinations);
  for (const destination of shown) {
    metrics.notificationsPending.set({ destination }, 0);
    metrics.oldestNotification.set({ destination }, 0);
  }
  while (!signal.aborted) {
    try {
      const states = new Map((await readOutboxState(db)).map((state) => [state.destination, state]));
      for (const name of states.keys()) shown.add(name);
      for (const destination of shown) {
        const { pending = 0, oldest_seconds = 0 } = states.get(destination) ?? {};
        metrics.notificationsPending.set({ destination }, pending);
        metrics.oldestNotification.set({ destination }, oldest_seconds);
      }
    } catch (error) {
      if (!signal.aborted) log.debug({ error: errorMessage(error) }, "the outbox cannot be read: retrying");
    }
    await pause(jitter(EVERY_MS), signal).catch(() => undefined);
  }
}
