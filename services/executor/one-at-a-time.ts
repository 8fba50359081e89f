import pLimit from "p-limit";
import { PLACES_LOCK } from "#shared/database/places-lock.ts";
import type { Database } from "#shared/database/database.ts";

/**
 * Runs work while no other executor runs its: two that look at the same rows would give both places to the same lane. In this
 * process it queues first, so that no more than one connection waits for the lock.
 */
export function oneAtATime(db: Database): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(1);
  return async (work) =>
    limit(async () =>
      db.transaction(async (transaction) => {
        await transaction.query("SELECT pg_advisory_xact_lock($1)", [PLACES_LOCK]);
        return work();
      }),
    );
}
