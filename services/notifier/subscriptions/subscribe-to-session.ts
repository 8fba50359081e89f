import type { DataSource } from "typeorm";
import { readEvents, readLastSeqs } from "#shared/database/read-events.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";
import type { ClientOutbox } from "../outbox/client-outbox.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import type { Cursor } from "../websocket/parse-client-message.ts";
import { readSeqAt } from "./read-seq-at.ts";
import { retryUnavailable } from "../feed/retry-unavailable.ts";
import { EVENT_PAGE, type SessionFeed } from "../feed/session-feed.ts";
import type { SessionFeeds } from "../feed/session-feeds.ts";
import { SessionWatch } from "./session-watch.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { eventFrame } from "../outbox/frames.ts";

const PAGE_BYTES = 512 * 1024;
const MIN_PAGE = 5;
const MAX_PAGE = 500;

export interface FollowContext {
  readonly feeds: SessionFeeds;
  readonly db: DataSource;
  readonly log: Logger;
  readonly metrics: NotifierMetrics;
}

export interface FollowSession {
  readonly sessionId: string;
  readonly cursor: Cursor | undefined;
  readonly outbox: ClientOutbox;
  /** Told once, before the first event, with the number after which events follow. */
  readonly confirmed: (afterSeq: number) => void;
  /** The channel broke after it was live. */
  readonly failed: (error: Error) => void;
  /** Ends the subscription, at whatever point it is. */
  readonly signal: AbortSignal;
}

/**
 * Subscribes one client to one session: history from its cursor and live events as one stream in order, or live only
 * without a cursor. Resolves once live. Throws TerminalError for an unknown session or a cursor beyond its end,
 * RetryableError when NATS or Postgres is away for long, and the signal's reason.
 */
export async function followSession(context: FollowContext, request: FollowSession): Promise<void> {
  const { sessionId, cursor, outbox, signal } = request;
  signal.throwIfAborted();
  const lease = context.feeds.acquire(sessionId);
  const { feed } = lease;
  signal.addEventListener("abort", () => lease.release(), { once: true });
  await untilAborted(feed.started, signal);
  const afterSeq = cursor === undefined ? feed.lastSeq : await startingPoint(context, feed, cursor, signal);
  request.confirmed(afterSeq);
  const watch = new SessionWatch(
    { feed, outbox, metrics: context.metrics, failed: request.failed },
    afterSeq,
  );
  await sendHistory(context, feed, watch, request);
  // Nothing was awaited since the watch had reached the feed's position, so that nothing can have come between.
  watch.attach();
  signal.addEventListener("abort", () => watch.detach(), { once: true });
}

async function startingPoint(
  { db, log }: FollowContext,
  feed: SessionFeed,
  cursor: Cursor,
  signal: AbortSignal,
): Promise<number> {
  const { sessionId } = feed;
  const read = <T>(operation: () => Promise<T>) =>
    retryUnavailable("a subscription", { log, signal }, operation);
  if ("lastEventId" in cursor) return read(() => readSeqAt(db.manager, sessionId, cursor.lastEventId));
  const { afterSeq } = cursor;
  if (afterSeq <= feed.lastSeq) return afterSeq;
  // The bus may have brought it to another notifier first.
  const lastSeqs = await read(() => readLastSeqs(db.manager, [sessionId]));
  const lastSeq = lastSeqs.get(sessionId) ?? 0;
  feed.noticeLastSeq(lastSeq);
  if (afterSeq <= lastSeq) return afterSeq;
  throw new TerminalError(
    "cursor_beyond_end",
    `after_seq ${afterSeq} is beyond the last event of the session, which is ${lastSeq}: reload it and subscribe with after_seq 0`,
  );
}

async function sendHistory(
  { db, log }: FollowContext,
  feed: SessionFeed,
  watch: SessionWatch,
  { outbox, signal }: FollowSession,
): Promise<void> {
  let limit = EVENT_PAGE;
  while (watch.position < feed.lastSeq) {
    const page = await retryUnavailable("a history", { log, signal }, () =>
      readEvents(db.manager, feed.sessionId, {
        afterSeq: watch.position,
        throughSeq: feed.lastSeq,
        limit,
      }),
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
      watch.event(frame, event);
      // A page of large events is far more than a client may leave unread.
      await outbox.drained(signal);
    }
    // Small events come by the hundreds, so that a long history takes few queries; large ones by the handful.
    limit = Math.max(MIN_PAGE, Math.min(MAX_PAGE, Math.floor((PAGE_BYTES * page.length) / bytes)));
  }
}
