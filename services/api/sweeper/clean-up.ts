import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import { pause } from "#shared/pause.ts";
import type { ApiConfig } from "../config.ts";
import { deleteRetired } from "./delete-retired.ts";
import { purgeEnded } from "./purge-ended.ts";
import { removeExpired } from "./remove-expired.ts";
import type { Database } from "#shared/database/database.ts";

interface CleanUpDeps {
  readonly config: Pick<ApiConfig, "retentionDays" | "purgeEventsAfterDays" | "deletedRetentionDays">;
  readonly db: Database;
  readonly log: Logger;
}

const EVERY_MS = 60 * 60 * 1_000;
const RETRY_MS = 60_000;

/**
 * Every hour until `signal` aborts: purges ended sessions, soft-deletes old ones and deletes those that were soft-deleted
 * long ago; after a failure again within a minute. Any number of replicas may do so. Never throws.
 */
export async function cleanUp({ config, db, log }: CleanUpDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let waitMs = EVERY_MS;
    for (const work of [
      async () => removeExpired(db, config.retentionDays, signal),
      async () => purgeEnded(db, config.purgeEventsAfterDays, signal),
      async () => deleteRetired(db, config.deletedRetentionDays, signal),
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
