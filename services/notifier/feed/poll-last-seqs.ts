import { EVENT_POLL_MS } from "#shared/contracts/durations.ts";
import { eventsLost } from "#shared/database/events-purged.ts";
import { findSessions, unknownSession } from "#shared/database/find-session.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { SessionFeeds } from "./session-feeds.ts";
import type { Database } from "#shared/database/database.ts";

interface LastSeqPoll {
  /** Polls immediately. */
  trigger(): void;
  /** Settles after the signal has aborted. */
  readonly done: Promise<void>;
}

interface LastSeqPollOptions {
  readonly feeds: SessionFeeds;
  readonly db: Database;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** While Postgres is unavailable: shorter, so that gaps are filled soon after its return. */
const RETRY_MS = 250;

/**
 * Reads the newest event number of each watched session from Postgres every 2 s, in one query, and passes it to the
 * feed. This finds an event lost on the bus when no later event reveals the gap, and sessions that are deleted meanwhile, or have
 * fewer events than were delivered, whose feeds end.
 */
export function pollLastSeqs({ feeds, db, log, signal }: LastSeqPollOptions): LastSeqPoll {
  let wake = () => {};
  const sleep = async (ms: number) => {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = () => resolve();
    const timer = setTimeout(wake, ms);
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", wake);
  };
  const run = async () => {
    let failing = false;
    while (!signal.aborted) {
      await sleep(failing ? RETRY_MS : EVENT_POLL_MS);
      try {
        if (!signal.aborted) await poll(feeds, db);
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ error: errorMessage(error) }, "poll of last event numbers failed");
        failing = true;
      }
    }
  };
  return { trigger: () => wake(), done: run() };
}

async function poll(feeds: SessionFeeds, db: Database): Promise<void> {
  const polled = feeds.all().map((feed) => ({ feed, delivered: feed.lastSeq }));
  const found = await findSessions(
    db,
    polled.map(({ feed }) => feed.sessionId),
  );
  for (const { feed, delivered } of polled) {
    const { sessionId } = feed;
    const session = found.get(sessionId);
    if (session === undefined) feed.end(unknownSession(sessionId));
    else if (session.last_seq < delivered) feed.end(eventsLost(sessionId));
    else feed.noticeLastSeq(session.last_seq);
  }
}
