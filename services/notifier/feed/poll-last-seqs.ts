import type { DataSource } from "typeorm";
import { readLastSeqs } from "#shared/database/read-events.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";
import type { SessionFeeds } from "./session-feeds.ts";

export interface LastSeqWatch {
  /** Look now: the bus was away. */
  nudge(): void;
  /** Settles after the signal's abort. */
  readonly done: Promise<void>;
}

interface WatchOptions {
  readonly feeds: SessionFeeds;
  readonly db: DataSource;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 2_000;
const RETRY_MS = 250;

/**
 * Every 2 s asks Postgres in one query how many events each watched session has, so that what the bus lost without
 * anything behind it to show the hole is delivered all the same.
 */
export function watchLastSeqs({
  feeds,
  db,
  log,
  signal,
  intervalMs = INTERVAL_MS,
}: WatchOptions): LastSeqWatch {
  let wake = () => {};
  const pause = async (ms: number) => {
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
      // While Postgres is away, look more often, so that its return is noticed at once.
      await pause(failing ? RETRY_MS : intervalMs);
      try {
        if (!signal.aborted) await look(feeds, db);
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ error: errorMessage(error) }, "last event numbers unreadable");
        failing = true;
      }
    }
  };
  return { nudge: () => wake(), done: run() };
}

async function look(feeds: SessionFeeds, db: DataSource): Promise<void> {
  const watched = new Map(feeds.all().map((feed) => [feed.sessionId, feed]));
  const lastSeqs = await readLastSeqs(db.manager, [...watched.keys()]);
  for (const [sessionId, lastSeq] of lastSeqs) watched.get(sessionId)?.noticeLastSeq(lastSeq);
}
