import { pino } from "pino";
import { openBus } from "#shared/bus/open-bus.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { busEventCodec, knownPayload } from "#shared/contracts/session-event.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import type { BenchmarkContext } from "../support/benchmark.ts";
import { percentile } from "../support/percentile.ts";
import { postAlerts } from "../support/post-alerts.ts";
import { BENCH_SLOTS } from "../support/start-bench-system.ts";
import type { Arm, ArmComparison, FigureSpec, ArmFigures } from "./comparison.ts";
import { HandlerStarts } from "./handler-starts.ts";
import { PEER_NAMES, startPeer, type QueueSystem } from "./start-peer.ts";
import { startPhysicalLimits } from "./physical-limits.ts";
import { runComparison } from "./run-comparison.ts";
import { firstOf } from "./first-of.ts";
import { startTarsy } from "./start-tarsy.ts";
import { startTogether } from "./start-together.ts";
import { UnitMeter } from "./unit-meter.ts";
import type { VersusOptions } from "./versus-options.ts";

const CLIENTS = 16;
const POLL_ALONE_MS = 5;
/** Units that run one at a time, for the delay, as a part of all units. */
const ALONE_PART = 4;

const FIGURES: readonly FigureSpec[] = [
  { name: "start_p50_ms", limit: "commit_ms" },
  { name: "start_p99_ms", limit: "commit_ms" },
  { name: "jobs_per_s", limit: "commit_ms" },
  { name: "cpu_ms_per_job", limit: "commit_cpu_ms" },
  { name: "postgres_cpu_ms_per_job" },
  { name: "postgres_execution_ms_per_job" },
  { name: "statements_per_job" },
  { name: "write_transactions_per_job" },
  { name: "wal_kb_per_job" },
];

/** Our queue of sessions against job queues on Postgres. */
export async function compareQueue(
  { executors, rounds, sessions }: VersusOptions,
  context: BenchmarkContext,
): Promise<ArmComparison[]> {
  const { signal, progress } = context;
  progress("queue: starting our system and the other queues");
  await using resources = new AsyncDisposableStack();
  const names = ["ours", ...PEER_NAMES];
  const systems = await startTogether<QueueSystem>(resources, [
    () => startOurs(executors, signal),
    ...PEER_NAMES.map((name) => () => startPeer(name, BENCH_SLOTS * executors)),
  ]);
  const arms = systems.map((system, index) => queueArm(names[index] ?? "", system, sessions, signal));
  const limits = resources.use(await startPhysicalLimits(firstOf(systems).measured.servers));
  const comparison = await runComparison(
    {
      name: "queue",
      what: `Ours does more: a job of the others does nothing, ours is a whole session with two calls of a model that answers at once, its timeline and its live text. Comparable is the start: from writing the request to the handler, or to the event that the session is in progress, one job at a time (p99 of ${alone(sessions)} jobs).`,
      figures: FIGURES,
      rounds,
      limits,
      arms,
    },
    context,
  );
  return [comparison];
}

function alone(sessions: number): number {
  return Math.max(1, Math.round(sessions / ALONE_PART));
}

function queueArm(name: string, system: QueueSystem, sessions: number, signal: AbortSignal): Arm {
  const meter = new UnitMeter(system);
  const measureAlone = async (): Promise<ArmFigures> => {
    const { api } = system;
    const accepted = () => meter.untilDone(name, signal, POLL_ALONE_MS);
    const { sentAtNs } = await postAlerts({ api, count: alone(sessions), clients: 1, signal, accepted });
    meter.remember([...sentAtNs.keys()]);
    const delays = (await system.starts()).delaysMs(sentAtNs, name);
    return { start_p50_ms: percentile(delays, 0.5), start_p99_ms: percentile(delays, 0.99) };
  };
  return {
    name,
    measure: async () => {
      const starts = await measureAlone();
      const costs = await meter.run({ name, unit: "job", count: sessions, clients: CLIENTS, signal });
      return { ...starts, ...costs };
    },
  };
}

/** A session starts with the event that it is in progress, as a subscriber of the bus gets it after the commit. */
async function startOurs(executors: number, signal: AbortSignal): Promise<QueueSystem> {
  await using resources = new AsyncDisposableStack();
  const tarsy = resources.use(await startTarsy({ executors, signal }));
  const log = pino({ level: "silent" });
  const bus = resources.use(
    await openBus({ url: tarsy.measured.servers.nats.url, name: "tarsy-bench", log, signal }),
  );
  const all = new HandlerStarts();
  const subscription = subscribe(bus, SUBJECTS.allFeeds, busEventCodec, ({ session_id, payload }) => {
    const known = payload && knownPayload(payload);
    if (known?.type !== "session.status" || known.status !== "in_progress") return;
    all.add(session_id, Number(process.hrtime.bigint()));
  });
  await subscription.live();
  const owned = resources.move();
  return {
    ...tarsy,
    starts: async () => {
      // Events that were published before are handled before this resolves.
      await bus.flush();
      return all;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
