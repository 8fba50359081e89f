import pLimit, { type LimitFunction } from "p-limit";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import { RetryableError, errorMessage } from "#shared/errors.ts";
import { backoff, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import type { NotifierMetrics } from "../notifier-metrics.ts";
import type { ReadKind } from "./read-kinds.ts";
import type { Database } from "#shared/database/database.ts";
import type { Queryable } from "#shared/database/queryable.ts";

interface DatabaseReadsOptions {
  readonly db: Database;
  readonly log: Logger;
  readonly metrics: NotifierMetrics;
  /** Reads at the same time; the pool must have a connection for each. */
  readonly concurrency: number;
  /** Reads that may wait for their turn. */
  readonly maxWaiting: number;
}

interface ReadRequest<T> {
  /** Names the read in the log and the metrics. */
  readonly what: ReadKind;
  readonly signal: AbortSignal;
  readonly read: (manager: Queryable) => Promise<T>;
  /** True if the read waits although too many wait already: for reads of which there is at most one per session. */
  readonly always?: boolean;
}

const RETRY = { firstMs: 100, lastMs: 2_000 };

/**
 * The notifier's reads of stored events, a few at a time. They wait for their turn here and not for a connection of the
 * pool: the pool gives up after a time, which would make a long queue look like an outage.
 */
export class DatabaseReads {
  readonly #options: DatabaseReadsOptions;
  readonly #limit: LimitFunction;
  #isAway = false;

  constructor(options: DatabaseReadsOptions) {
    this.#options = options;
    this.#limit = pLimit(options.concurrency);
  }

  /** True if Postgres was unavailable for the last read. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Reads that wait for their turn. */
  get waiting(): number {
    return this.#limit.pendingCount;
  }

  /**
   * Runs a read when its turn comes, and repeats it while Postgres is unavailable or too slow. Throws RetryableError if too many
   * reads wait, the signal's reason once it aborts, and any other error of the read.
   */
  async run<T>({ what, signal, read, always = false }: ReadRequest<T>): Promise<T> {
    const { db, log, metrics, maxWaiting } = this.#options;
    const attempt = async () => {
      signal.throwIfAborted();
      metrics.databaseReads.inc({ read: what });
      return read(db);
    };
    for (let retry = 1; ; retry += 1) {
      signal.throwIfAborted();
      if (!always && this.waiting >= maxWaiting) throw tooManyReads();
      try {
        const result = await untilAborted(this.#limit(attempt), signal);
        this.#isAway = false;
        return result;
      } catch (error) {
        signal.throwIfAborted();
        if (!isDatabaseRetryable(error)) throw error;
        this.#isAway = true;
        metrics.databaseReadsFailed.inc();
        if (retry === 1) log.warn({ read: what, error: errorMessage(error) }, "waiting for Postgres");
        // Outside the queue, so that reads that wait for Postgres keep no other from trying.
        await pause(backoff(retry, RETRY), signal);
      }
    }
  }
}

function tooManyReads(): RetryableError {
  return new RetryableError("too_many_reads", "too many clients are catching up: try again in a moment");
}
