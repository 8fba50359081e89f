import { writeFile } from "node:fs/promises";
import { renderSmokeReport } from "./smoke/render-smoke-report.ts";
import { smokeReport, type SmokeReport } from "./smoke/smoke-report.ts";
import type { SessionTimes } from "./support/bench-database.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { readStatementCounts, resetStatementCounts } from "./support/count-statements.ts";
import { loadOptionsHelp, parseLoadOptions, type LoadOptions } from "./support/load-options.ts";
import { describeMachine } from "./support/machine.ts";
import { measureLoad } from "./support/measure-load.ts";
import { postAlerts } from "./support/post-alerts.ts";
import { MEASURED_SERVICES, measureUsage } from "./support/service-usage.ts";
import {
  BENCH_SLOTS,
  delayed,
  startBenchSystem,
  ZERO_DELAY_SCRIPT,
  type BenchSystem,
} from "./support/start-bench-system.ts";
import { waitForSessions } from "./support/wait-for-sessions.ts";

const DEFAULT_SESSIONS = 400;
const CLIENTS = 16;
/** Unmeasured sessions that open the connection pools and let V8 compile hot code. */
const WARM_UP = 60;
/** Sessions that run one at a time. */
const ALONE = 20;
const POLL_ALONE_MS = 5;

/** The whole path with a model that answers immediately: the cost of everything but the model. */
export const smoke: Benchmark = {
  summary: "the whole path with a zero-delay model: alerts/s, sessions/s, memory, CPU, transactions",
  usage: `usage: npm run bench -- smoke [options]\n\n${loadOptionsHelp(DEFAULT_SESSIONS)}\n`,
  run: async (args, context) => {
    const options = parseLoadOptions(args, { sessions: DEFAULT_SESSIONS });
    const report = await measure(options, context);
    context.print(renderSmokeReport(report));
    if (options.jsonFile !== undefined) {
      await writeFile(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`);
    }
  },
};

async function measure(options: LoadOptions, context: BenchmarkContext): Promise<SmokeReport> {
  const { sessions, executors, statements, modelMs } = options;
  const { signal, progress } = context;
  const startedAt = new Date();
  await using bench = await startBenchSystem(options, context, {
    script: delayed(ZERO_DELAY_SCRIPT, modelMs),
  });
  const machine = await describeMachine(bench.servers, bench.db);
  const idle = await measureUsage(bench);
  progress(`warming up with ${WARM_UP} sessions`);
  await measureLoad(bench, { count: WARM_UP, clients: CLIENTS }, context);
  progress(`${ALONE} sessions, one at a time`);
  const alone = await runOneAtATime(bench, context);
  progress(`${sessions} alerts from ${CLIENTS} clients while executors run`);
  if (statements) await resetStatementCounts(bench.db);
  const load = await measureLoad(bench, { count: sessions, clients: CLIENTS }, context);
  const counted = statements ? await readStatementCounts(bench.db) : null;
  progress(`${sessions} alerts from ${CLIENTS} clients without executors`);
  await stopAll(bench, ["executor"]);
  const queued = await postAlerts({ api: bench.system.api, count: sessions, clients: CLIENTS, signal });
  // A killed process writes no profile.
  if (options.cpuProfileDir !== undefined) await stopAll(bench, MEASURED_SERVICES);
  progress("stopping and removing everything");
  const settings = {
    sessions,
    executors,
    slots_per_executor: BENCH_SLOTS,
    clients: CLIENTS,
    model_ms: modelMs,
  };
  return smokeReport({ startedAt, machine, settings, idle, alone, load, queued, counted });
}

async function runOneAtATime(bench: BenchSystem, context: BenchmarkContext): Promise<SessionTimes> {
  const ids: string[] = [];
  for (let index = 0; index < ALONE; index++) {
    const { sessionIds } = await postAlerts({
      api: bench.system.api,
      count: 1,
      clients: 1,
      signal: context.signal,
    });
    ids.push(...sessionIds);
    await waitForSessions(bench, context, POLL_ALONE_MS);
  }
  return bench.db.sessionTimes(ids);
}

async function stopAll({ system }: BenchSystem, names: typeof MEASURED_SERVICES): Promise<void> {
  const services = names.flatMap((name) => system.all(name));
  await Promise.all(services.map((service) => system.end(service, "SIGTERM")));
}
