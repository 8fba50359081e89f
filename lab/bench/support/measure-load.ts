import type { DatabaseCounters, SessionTimes } from "./bench-database.ts";
import type { BenchmarkContext } from "./benchmark.ts";
import { postAlerts, type AcceptedAlerts } from "./post-alerts.ts";
import { measureUsage, type SystemUsage } from "./service-usage.ts";
import type { BenchSystem } from "./start-bench-system.ts";
import { waitForSessions } from "./wait-for-sessions.ts";

/** Resource usage and counters at one point in time. */
interface Reading {
  readonly usage: SystemUsage;
  readonly counters: DatabaseCounters;
}

/** The measurements of one load, from the first alert to the last completion. */
export interface MeasuredLoad {
  readonly accepted: AcceptedAlerts;
  readonly times: SessionTimes;
  readonly before: Reading;
  readonly after: Reading;
}

/** Submits `count` alerts from `clients` concurrent clients and waits for their sessions. Throws unless all complete. */
export async function measureLoad(
  bench: BenchSystem,
  { count, clients }: { readonly count: number; readonly clients: number },
  context: BenchmarkContext,
): Promise<MeasuredLoad> {
  const { db, system } = bench;
  const before = await readAll(bench);
  const accepted = await postAlerts({ api: system.api, count, clients, signal: context.signal });
  await waitForSessions(bench, context);
  const after = await readAll(bench);
  const times = await db.sessionTimes(accepted.sessionIds);
  if (times.completed !== count) {
    throw new Error(
      `only ${times.completed} of ${count} sessions completed:\n${system.output.slice(-2_000)}`,
    );
  }
  return { accepted, times, before, after };
}

async function readAll(bench: BenchSystem): Promise<Reading> {
  return { usage: await measureUsage(bench), counters: await bench.db.counters() };
}
