import { EVENTS_PURGED } from "#shared/database/events-purged.ts";
import { TerminalError } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { CatchupRequest } from "../subscriptions/replay-history.ts";
import { sendHistory } from "../subscriptions/session-history.ts";
import type { DialectContext } from "./session-follower.ts";

/**
 * The `catchup` action without a subscription, or beside one that is live: sends the stored events after the cursor, all of
 * them, at the pace at which the client reads. `hasMore` says that they have been deleted. Throws TerminalError
 * `unknown_session`, RetryableError when NATS or Postgres is unavailable for too long, and the signal's reason.
 */
export async function replayInDialect(
  { feeds, views }: DialectContext,
  { sessionId, lastEventId, outbox, signal }: CatchupRequest,
): Promise<{ hasMore: boolean }> {
  const { feed, joined, release } = feeds.acquire(sessionId);
  try {
    await untilAborted(feed.started, signal);
    if (joined) await feed.checkExists(signal);
    const view = await views.of(feed, signal);
    const afterSeq = await feed.seqAt(lastEventId, signal);
    await sendHistory({
      events: feed.events,
      afterSeq,
      outbox,
      deliver: (event) => {
        for (const frame of view.translated(event).frames) outbox.event(frame);
      },
      signal,
    });
    return { hasMore: false };
  } catch (error) {
    if (error instanceof TerminalError && error.code === EVENTS_PURGED) return { hasMore: true };
    throw error;
  } finally {
    release();
  }
}
