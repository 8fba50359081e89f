import { simulateLoad } from "./simulate-load.ts";

/** The parts of the system that a session takes CPU time of, in the order of the data path. */
export const PARTS = [
  "api",
  "executor",
  "llm-gateway",
  "tool-runner",
  "notifier",
  "NATS",
  "Postgres",
  "client",
] as const;
type Part = (typeof PARTS)[number];

/** What a session costs, as `smoke` measures it. */
export interface SessionCosts {
  /** CPU milliseconds; `client` is the load's own process. */
  readonly cpuMs: Readonly<Record<Part, number>>;
  readonly commits: number;
  readonly walKb: number;
}

type Costs = Readonly<Partial<Record<Part, number>>>;

/** What sessions and executors cost beside the steps, in CPU milliseconds. */
interface Overheads {
  /** A second of each running session: leases, signs of work. */
  readonly running: Costs;
  /** A second of each executor, with sessions and without. */
  readonly executor: Costs;
}

/** Measured with 1 and 4 executors at rest and with 20 waiting sessions each. */
const OVERHEADS: Overheads = {
  running: { executor: 0.2, NATS: 0.05, Postgres: 0.2 },
  executor: { NATS: 0.4, Postgres: 0.5 },
};
/** The part of a process that should be busy at most, so that sessions hardly queue for it. */
const BUSY = 0.7;

export interface Plan {
  readonly executors: number;
  /** Sessions that one executor runs at a time. */
  readonly slots: number;
  /** Seconds that a session waits for models and tools. */
  readonly modelSeconds: number;
  /** Of the load; by default ten for each slot, after which it hardly matters that they begin together. */
  readonly sessions?: number;
  /** Everything runs on so many cores, the client too; undefined if each part has as many as it needs. */
  readonly sharedCores?: number | undefined;
}

export interface Prediction {
  /** Sessions that end in a second, while more wait than can run. */
  readonly perSecond: number;
  /** The CPU milliseconds of a session with what it costs to run beside others. */
  readonly cpuMs: Readonly<Record<Part, number>>;
  /** By part: processes of it, or cores of a server, of which no more than `BUSY` is used. */
  readonly needed: Readonly<Record<Part, number>>;
  /** Used of the shared cores, 0 to 1. */
  readonly coresUsed: number | undefined;
  readonly commitsPerSecond: number;
  readonly walMbPerSecond: number;
  /** To Postgres, of the executors alone. */
  readonly connections: number;
}

/** What a system does whose places are all taken. */
export function predictScale(costs: SessionCosts, plan: Plan, overheads = OVERHEADS): Prediction {
  const { executors, slots, modelSeconds, sharedCores } = plan;
  const customers = executors * slots;
  // Of every part, what a session costs by itself, and by the time that it takes.
  const cpuMs = byPart(
    (part) =>
      costs.cpuMs[part] +
      ((overheads.running[part] ?? 0) + (overheads.executor[part] ?? 0) / slots) * modelSeconds,
  );
  const isShared = sharedCores !== undefined;
  const workMs = isShared ? PARTS.reduce((sum, part) => sum + cpuMs[part], 0) : cpuMs.executor;
  const perSecond = simulateLoad({
    sessions: plan.sessions ?? 10 * customers,
    slots: customers,
    // A process of an executor runs one thread.
    servers: sharedCores ?? executors,
    workSeconds: workMs / 1_000,
    modelSeconds,
  });
  return {
    perSecond,
    cpuMs,
    needed: byPart((part) => Math.ceil((perSecond * cpuMs[part]) / 1_000 / BUSY)),
    coresUsed: isShared ? (perSecond * workMs) / 1_000 / sharedCores : undefined,
    commitsPerSecond: perSecond * costs.commits,
    walMbPerSecond: (perSecond * costs.walKb) / 1_000,
    connections: executors * (2 * slots + 3),
  };
}

function byPart(value: (part: Part) => number): Readonly<Record<Part, number>> {
  const [api, executor, gateway, runner, notifier, nats, postgres, client] = PARTS;
  return {
    api: value(api),
    executor: value(executor),
    "llm-gateway": value(gateway),
    "tool-runner": value(runner),
    notifier: value(notifier),
    NATS: value(nats),
    Postgres: value(postgres),
    client: value(client),
  };
}
