import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { HEALTH_VARIABLE, spawnService, type ServiceName } from "../../../test/support/spawn-service.ts";
import { testPort } from "../../../test/support/test-port.ts";
import { untilReady } from "../../../test/support/until-ready.ts";
import { readUsage } from "../support/process-usage.ts";
import type { StartupArm } from "./arm.ts";
import { readFile } from "node:fs/promises";

const BYTES_PER_KB = 1_024;

/** The memory of one process, in MB of 1,000,000 bytes. */
interface ProportionalMemory {
  /** Shared pages count in proportion to the number of processes that map them, so the sum over processes is true. */
  readonly pssMb: number;
  /** The part that no file backs: heaps, stacks and buffers. */
  readonly anonMb: number;
}

/** Reads the proportional memory of a process from /proc. Throws if the process or /proc does not exist. */
async function readPss(pid: number): Promise<ProportionalMemory> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * BYTES_PER_KB) / 1e6;
  return { pssMb: megabytes("Pss"), anonMb: megabytes("Pss_Anon") };
}

/** What one start of one service took. */
export interface StartFigures {
  /** CPU time of the process, user and system, from its start until it answered that it is ready. */
  readonly cpu_until_ready_ms: number;
  /** CPU time until it had been idle for a while: what it loads in the background is included. */
  readonly cpu_settled_ms: number;
  readonly wall_until_ready_ms: number;
  /** Memory while all five run, idle. Shared pages count in proportion. */
  readonly pss_mb: number;
  readonly anon_mb: number;
}

/** By service. */
export type StartRound = ReadonlyMap<ServiceName, StartFigures>;

/** In versions without `migrate` the api migrates the database, and the others wait for it. */
const ORDER = [
  "api",
  "llm-gateway",
  "tool-runner",
  "notifier",
  "executor",
] as const satisfies readonly ServiceName[];
/** After the last service is ready: background loading and the timers of a start are over then. */
const SETTLE_MS = 5_000;

interface Started {
  readonly child: ChildProcess;
  readonly cpuMs: number;
  readonly wallMs: number;
}

/**
 * Starts the five services one after the other, so that they do not compete for the cores, measures them and stops them,
 * which writes their compile caches.
 * @param env what every service gets, with its own compile cache
 */
export async function measureStart(
  arm: StartupArm,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<StartRound> {
  await using resources = new AsyncDisposableStack();
  const started = new Map<ServiceName, Started>();
  for (const name of ORDER) {
    signal.throwIfAborted();
    const healthPort = await testPort();
    const startedAt = performance.now();
    const child = spawnService({
      name,
      env: { ...env, [HEALTH_VARIABLE[name]]: String(healthPort) },
      output: "pipe",
      checkout: arm.checkout,
      entry: arm.entry(name),
    });
    resources.defer(() => stop(child));
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-10_000)));
    }
    await untilReady(name, child, healthPort, () => output);
    started.set(name, { child, cpuMs: await cpuMs(child), wallMs: performance.now() - startedAt });
  }
  await wait(SETTLE_MS, undefined, { signal });
  const round = new Map<ServiceName, StartFigures>();
  for (const [name, { child, ...until }] of started) {
    const { pssMb, anonMb } = await readPss(child.pid ?? 0);
    round.set(name, {
      cpu_until_ready_ms: until.cpuMs,
      cpu_settled_ms: await cpuMs(child),
      wall_until_ready_ms: until.wallMs,
      pss_mb: pssMb,
      anon_mb: anonMb,
    });
  }
  return round;
}

async function cpuMs({ pid }: ChildProcess): Promise<number> {
  return (await readUsage([pid ?? 0])).cpuSeconds * 1_000;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}
