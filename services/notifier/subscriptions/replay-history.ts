import { untilAborted } from "#shared/until-aborted.ts";
import { CursorReads } from "../feed/cursor-reads.ts";
import type { SessionFeeds } from "../feed/session-feeds.ts";
import { StoredEvents, type StoredEventsContext } from "../feed/stored-events.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";
import { sendHistory } from "./session-history.ts";

/** More than this and the client must reload, as clients of the original protocol expect. */
const MAX_REPLAYED = 200;

export interface CatchupRequest {
  readonly sessionId: string;
  readonly lastEventId: number;
  readonly outbox: ClientOutbox;
  readonly signal: AbortSignal;
}

/**
 * The `catchup` action: sends the stored events after `lastEventId`, ascending, at most 200, without a subscription.
 * `hasMore` says whether others follow. Waits while Postgres is unavailable; throws RetryableError if too many clients
 * wait, and the signal's reason.
 */
export async function replayHistory(
  context: StoredEventsContext & { readonly feeds: SessionFeeds },
  { sessionId, lastEventId, outbox, signal }: CatchupRequest,
): Promise<{ hasMore: boolean }> {
  const { feed, release } = context.feeds.join(sessionId) ?? {};
  if (feed === undefined) return replayUnwatched(context, { sessionId, lastEventId, outbox, signal });
  try {
    // Another client follows this session: what has been read for it is used again.
    await untilAborted(feed.started, signal);
    await feed.checkExists(signal);
    const afterSeq = await feed.seqAt(lastEventId, signal);
    return await replay({ events: feed.events, afterSeq, outbox, signal });
  } finally {
    release?.();
  }
}

async function replayUnwatched(
  context: StoredEventsContext,
  { sessionId, lastEventId, outbox, signal }: CatchupRequest,
): Promise<{ hasMore: boolean }> {
  const cursors = new CursorReads({ reads: context.reads, sessionId, signal });
  const events = new StoredEvents(context, sessionId);
  try {
    const afterSeq = await cursors.seqAt(lastEventId, signal);
    events.startAfter(await cursors.lastSeq(signal));
    return await replay({ events, afterSeq, outbox, signal });
  } finally {
    events.close();
  }
}

async function replay(request: {
  readonly events: StoredEvents;
  readonly afterSeq: number;
  readonly outbox: ClientOutbox;
  readonly signal: AbortSignal;
}): Promise<{ hasMore: boolean }> {
  const { events, outbox } = request;
  const deliver = (event: { readonly frame: Buffer }) => outbox.event(event.frame);
  const last = await sendHistory({ ...request, limit: MAX_REPLAYED, deliver });
  return { hasMore: last < events.lastSeq };
}
