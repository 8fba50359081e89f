import { Type } from "typebox";
import type { DataSource, EntityManager } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { SessionEvent } from "#shared/contracts/session-event.ts";
import { readEvents, readLastSeqs } from "#shared/database/read-events.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { EVENT_PAGE } from "../feed/feed-queries.ts";
import { retryUnavailable } from "../feed/retry-unavailable.ts";
import type { SessionFeed } from "../feed/session-feed.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";
import { eventFrame, type Frame } from "../outbox/frames.ts";

/** Where a history starts: after the event with this `seq`, or after this `db_event_id`. */
export type Cursor = { readonly afterSeq: number } | { readonly lastEventId: number };

interface HistorySource {
  readonly db: DataSource;
  readonly log: Logger;
  readonly feed: SessionFeed;
  readonly signal: AbortSignal;
}

/** More than this and the client must reload, as clients of the original protocol expect. */
const MAX_REPLAYED = 200;
const PAGE_BYTES = 512 * 1024;
const MIN_PAGE = 5;
const MAX_PAGE = 500;

/** The `seq` after which a subscription starts. Throws TerminalError for a cursor beyond the session's last event. */
export async function resolveCursor(
  { db, log, feed, signal }: HistorySource,
  cursor: Cursor,
): Promise<number> {
  const { sessionId } = feed;
  const read = <T>(operation: () => Promise<T>) => retryUnavailable("cursor", { log, signal }, operation);
  if ("lastEventId" in cursor) return read(() => readSeqAt(db.manager, sessionId, cursor.lastEventId));
  const { afterSeq } = cursor;
  if (afterSeq <= feed.lastSeq) return afterSeq;
  // Another notifier may have received the event from the bus before this one.
  const lastSeqs = await read(() => readLastSeqs(db.manager, [sessionId]));
  const lastSeq = lastSeqs.get(sessionId) ?? 0;
  feed.noticeLastSeq(lastSeq);
  if (afterSeq <= lastSeq) return afterSeq;
  throw new TerminalError(
    "cursor_beyond_end",
    `after_seq ${afterSeq} is beyond the last event of the session, which is ${lastSeq}: reload it and subscribe with after_seq 0`,
  );
}

interface HistoryRequest extends HistorySource {
  readonly afterSeq: number;
  readonly outbox: ClientOutbox;
  readonly deliver: (frame: Frame, event: SessionEvent) => void;
}

/**
 * Delivers the stored events after `afterSeq` up to the feed's position, ascending, at the pace at which the client
 * reads. Retries while Postgres is unavailable; throws the signal's reason.
 */
export async function sendHistory(request: HistoryRequest): Promise<void> {
  const { db, log, feed, signal, outbox, deliver } = request;
  let { afterSeq } = request;
  let limit = EVENT_PAGE;
  while (afterSeq < feed.lastSeq) {
    const range = { afterSeq, throughSeq: feed.lastSeq, limit };
    const page = await retryUnavailable("history", { log, signal }, () =>
      readEvents(db.manager, feed.sessionId, range),
    );
    signal.throwIfAborted();
    if (page.length === 0) {
      throw new TerminalError(
        "events_missing",
        `events of session ${feed.sessionId} are missing: reload it over REST`,
      );
    }
    let bytes = 0;
    for (const event of page) {
      const frame = eventFrame(event);
      bytes += frame.length;
      deliver(frame, event);
      afterSeq = event.seq;
      // A page of large events exceeds what a client may leave unread.
      await outbox.drained(signal);
    }
    // Large pages of small events keep the number of queries low; small pages of large events keep memory low.
    limit = Math.max(MIN_PAGE, Math.min(MAX_PAGE, Math.floor((PAGE_BYTES * page.length) / bytes)));
  }
}

interface ReplayRequest {
  readonly db: DataSource;
  readonly outbox: ClientOutbox;
  readonly sessionId: string;
  readonly lastEventId: number;
  readonly signal: AbortSignal;
}

/**
 * The `catchup` action: sends the stored events after `lastEventId`, ascending, at most 200, without a subscription.
 * `hasMore` says whether others follow. Throws database errors without a retry.
 */
export async function replayHistory(request: ReplayRequest): Promise<{ hasMore: boolean }> {
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

const parseSeqRow = compileParser("seq row", Type.Object({ seq: Type.Integer() }));

/** The `seq` of the session's newest event whose `db_event_id` is at most `eventId`; 0 if there is none. */
async function readSeqAt(
  manager: Pick<EntityManager, "query">,
  sessionId: string,
  eventId: number,
): Promise<number> {
  // Within a session ids ascend with seq, because both are assigned under the session's row lock.
  const [row] = await selectRows(
    manager,
    parseSeqRow,
    "SELECT coalesce(max(seq), 0) AS seq FROM events WHERE session_id = $1 AND id <= $2",
    [sessionId, eventId],
  );
  return row?.seq ?? 0;
}
