import type { Bus } from "#shared/bus/open-bus.ts";
import { liveProgressCodec, type LiveProgress } from "#shared/contracts/live-progress.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";

/**
 * Publishes to the session's watchers what a tool call has reached or an agent begins to do, in the order of chunks and
 * events. Does nothing while disconnected.
 */
export function publishLiveProgress(bus: Bus, progress: LiveProgress): void {
  if (bus.connection.isClosed()) return;
  bus.connection.publish(SUBJECTS.progress(progress.session_id), liveProgressCodec.encode(progress));
}
