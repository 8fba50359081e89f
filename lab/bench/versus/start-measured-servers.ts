import { BackingServers } from "../../../test/support/backing-servers.ts";
import { BenchDatabase, type DatabaseCounters } from "../support/bench-database.ts";
import {
  enableStatementCounts,
  readStatementCounts,
  resetStatementCounts,
} from "../support/count-statements.ts";
import { readCpuSeconds } from "../support/process-usage.ts";
import type { ArmFigures } from "./comparison.ts";

/** A durable Postgres and a NATS of one arm; the statements of Postgres are counted. */
export interface MeasuredServers extends AsyncDisposable {
  readonly servers: BackingServers;
  /** A superuser's connection, whose own statements are not counted. */
  readonly db: BenchDatabase;
  /** Starts counting; the function that it returns resolves with the costs since then, per unit. */
  startCounting(): Promise<(units: number, unit: string) => Promise<ArmFigures>>;
}

/** Starts servers with the same options for every arm. Disposal stops and removes them. */
export async function startMeasuredServers(): Promise<MeasuredServers> {
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await BackingServers.start({ durable: true }));
  await enableStatementCounts(servers);
  const url = new URL(servers.postgres.adminUrl);
  url.pathname = new URL(servers.postgres.url).pathname;
  const db = resources.use(await BenchDatabase.open(url.href));
  const cpuSeconds = () => readCpuSeconds([servers.postgres.pid]);
  const owned = resources.move();
  return {
    servers,
    db,
    startCounting: async () => {
      await resetStatementCounts(db);
      const before: DatabaseCounters = await db.counters();
      const cpuBefore = await cpuSeconds();
      return async (units, unit) => {
        const cpu = (await cpuSeconds()) - cpuBefore;
        const after = await db.counters();
        const counted = await readStatementCounts(db);
        const total = (of: (count: (typeof counted)[number]) => number) =>
          counted.reduce((sum, count) => sum + of(count), 0) / units;
        return {
          [`postgres_cpu_ms_per_${unit}`]: (cpu * 1_000) / units,
          [`postgres_execution_ms_per_${unit}`]: total(({ planMs, runMs }) => planMs + runMs),
          [`statements_per_${unit}`]: total(({ calls }) => calls),
          [`transactions_per_${unit}`]: total(({ calls, query }) => (/^COMMIT\b/iu.test(query) ? calls : 0)),
          [`write_transactions_per_${unit}`]: (after.writeTransactions - before.writeTransactions) / units,
          [`wal_kb_per_${unit}`]: (after.walBytes - before.walBytes) / 1_000 / units,
        };
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
