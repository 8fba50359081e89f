import type { Database } from "#shared/database/database.ts";
import { errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import type { ApiConfig } from "../config.ts";
import { closeOpenRows } from "./close-open-rows.ts";
import { eraseHidden, eraseRequested } from "./erase-sessions.ts";
import { purgeEnded } from "./purge-ended.ts";
import { removeExpired } from "./remove-expired.ts";

interface CleanUpDeps {
  readonly config: Pick<ApiConfig, "retentionDays" | "purgeEventsAfterDays" | "purgeDays">;
  readonly db: Database;
  readonly log: Logger;
  readonly metrics: Pick<ApiMetrics, "openRowsClosed">;
}

const EVERY_MS = 60 * 60 * 1_000;
const RETRY_MS = 60_000;

/** The maximum delay before the rows of a session deleted on request are removed. */
const ERASE_EVERY_MS = 10_000;
const CLOSE_EVERY_MS = 60_000;
const CLOSE_WITHIN_HOURS = 72;

/**
 * Until `signal` aborts: every few seconds removes the sessions that were deleted on request, every minute closes rows that were left open, and every hour purges the events
 * of ended sessions, hides old ones and removes those that were hidden long ago; after a failure again within a minute.
 * Any number of replicas may do so. Never throws.
 */
export async function cleanUp(deps: CleanUpDeps, signal: AbortSignal): Promise<void> {
  await Promise.all([eraseSoon(deps, signal), closeSoon(deps, signal), cleanUpHourly(deps, signal)]);
}

async function eraseSoon({ db, log }: CleanUpDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await eraseRequested(db, signal).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ error: errorMessage(error) }, "erasure failed: retrying");
    });
    await pause(jitter(ERASE_EVERY_MS), signal).catch(() => undefined);
  }
}

async function closeSoon(deps: CleanUpDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await closeOpenRows(deps, 1).catch((error: unknown) => {
      if (!signal.aborted) deps.log.warn({ error: errorMessage(error) }, "open rows not closed: retrying");
    });
    await pause(jitter(CLOSE_EVERY_MS), signal).catch(() => undefined);
  }
}

async function cleanUpHourly({ config, db, log, metrics }: CleanUpDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let waitMs = EVERY_MS;
    for (const work of [
      async () => removeExpired(db, config.retentionDays, signal),
      async () => purgeEnded(db, config.purgeEventsAfterDays, signal),
      async () => eraseHidden(db, config.purgeDays, signal),
      // Of the time in which no api ran, too.
      async () => closeOpenRows({ db, log, metrics }, CLOSE_WITHIN_HOURS),
      async () => removeOldAccounts(db),
    ]) {
      await work().catch((error: unknown) => {
        waitMs = RETRY_MS;
        if (!signal.aborted) log.warn({ error: errorMessage(error) }, "clean-up failed: retrying");
      });
    }
    // Jitter keeps replicas from working in step.
    await pause(waitMs * (0.8 + 0.4 * Math.random()), signal).catch(() => undefined);
  }
}

/** Accounts in one statement: more than there are for a day. */
const PAGE = 5_000;

/** Removes the accounts of budgets that were opened more than 400 days ago; those of sessions go with them. */
async function removeOldAccounts(db: Database): Promise<void> {
  await db.query("SELECT tarsy_remove_old_budget_accounts($1)", [PAGE]);
}
