import type { DataSource } from "typeorm";
import { readEvents } from "#shared/database/read-events.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";
import { readSeqAt } from "./read-seq-at.ts";
import { EVENT_PAGE } from "../feed/session-feed.ts";
import { eventFrame } from "../outbox/frames.ts";

/** More than this and the client is to reload, as clients of the original protocol expect. */
const MAX_REPLAYED = 200;

interface ReplayStored {
  readonly db: DataSource;
  readonly outbox: ClientOutbox;
  readonly sessionId: string;
  readonly lastEventId: number;
  readonly signal: AbortSignal;
}

/**
 * The `catchup` action: sends the session's stored events after `lastEventId`, ascending, at most 200. Resolves
 * whether there are more. Needs no subscription; throws what the database answers.
 */
export async function replayStored(request: ReplayStored): Promise<{ hasMore: boolean }> {
  const { db, outbox, sessionId, signal } = request;
  let afterSeq = await readSeqAt(db.manager, sessionId, request.lastEventId);
  for (let sent = 0; sent < MAX_REPLAYED;) {
    const limit = Math.min(EVENT_PAGE, MAX_REPLAYED - sent);
    const page = await readEvents(db.manager, sessionId, { afterSeq, limit });
    for (const event of page) {
      outbox.event(eventFrame(event));
      afterSeq = event.seq;
      await outbox.drained(signal);
    }
    if (page.length < limit) return { hasMore: false };
    sent += page.length;
  }
  const [next] = await readEvents(db.manager, sessionId, { afterSeq, limit: 1 });
  return { hasMore: next !== undefined };
}
