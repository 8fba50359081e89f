import type { Database } from "#shared/database/database.ts";
import { RetryableError } from "#shared/errors.ts";

/** SQLSTATE disk_full. */
const DISK_FULL = "53100";
const PROBE_EVERY_MS = 10_000;

/**
 * Returns a check that rejects with one sentence while Postgres cannot write a temporary file of about 1 MiB: a full disk refuses
 * alerts, while reads go on. Asks Postgres at most every 10 s, however often it is called. Other failures of the probe say nothing
 * of the disk and are ignored.
 */
export function diskProbe(db: Database): () => Promise<void> {
  let last: { readonly at: number; readonly result: Promise<void> } | undefined;
  return async () => {
    if (last === undefined || performance.now() - last.at > PROBE_EVERY_MS) {
      last = { at: performance.now(), result: probe(db) };
      // Without a caller it would be an unhandled rejection.
      last.result.catch(() => undefined);
    }
    return last.result;
  };
}

async function probe(db: Database): Promise<void> {
  try {
    await db.transaction(async (transaction) => {
      // What exceeds this memory goes to a file beside the tables, which needs no privilege and leaves nothing behind.
      await transaction.query("SET LOCAL work_mem = '64kB'");
      await transaction.query("SELECT count(*) FROM generate_series(1, 50000)");
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === DISK_FULL) {
      throw new RetryableError("disk_full", `its disk is full (${error.message})`, { cause: error });
    }
  }
}
