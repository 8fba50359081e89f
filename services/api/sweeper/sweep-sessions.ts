import { setTimeout as wait } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/logger.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import type { ApiConfig } from "../config.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { dispatchUnowned } from "./dispatch-unowned.ts";
import { removeExpired } from "./remove-expired.ts";

export interface SweeperDeps {
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly db: DataSource;
  readonly dispatcher: Dispatcher;
  readonly metrics: ApiMetrics;
}

/** What an executor put off, or a lost message left behind, waits at most this long beyond its time. */
const SWEEP_EVERY_MS = 2_000;
const REMOVE_EVERY_MS = 60 * 60 * 1_000;

/**
 * Every `everyMs`, by default 2 s, until `signal` aborts: wakes executors for the sessions that nobody works on, and
 * repairs a queue that delivers nothing; every hour, removes what is past its time. Any number of replicas may
 * sweep: a wake-up sent twice is refused. Never throws.
 */
export async function sweepSessions(
  deps: SweeperDeps,
  signal: AbortSignal,
  { everyMs = SWEEP_EVERY_MS }: { readonly everyMs?: number } = {},
): Promise<void> {
  const { config, db, log } = deps;
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) log.warn({ error: errorMessage(error) }, "sweep failed: trying again");
    }
  };
  const repair = queueRepair(deps);
  let removedAt = -Infinity;
  while (!signal.aborted) {
    await attempt(() => dispatchUnowned(deps));
    await attempt(repair);
    if (performance.now() - removedAt > REMOVE_EVERY_MS) {
      await attempt(async () => {
        await removeExpired(db, config.retentionDays, signal);
        removedAt = performance.now();
      });
    }
    // Jittered, so that replicas spread out.
    await wait(everyMs * (0.8 + 0.4 * Math.random()), undefined, { signal }).catch(() => undefined);
  }
}

/** Called once a sweep: creates the queue's durable anew when it was found behind twice in a row. */
function queueRepair({ dispatcher, metrics, log }: SweeperDeps): () => Promise<void> {
  let wasBehind = false;
  return async () => {
    const isBehind = await dispatcher.isQueueStuck();
    if (isBehind && wasBehind) {
      log.error("the queue holds wake-ups that its consumer never delivers: creating the consumer anew");
      await dispatcher.recreateQueue();
      metrics.queueRepairs.inc();
    }
    wasBehind = isBehind && !wasBehind;
  };
}
