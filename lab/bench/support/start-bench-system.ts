import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { testConfigDirectory, type ConfigFiles } from "../../../test/support/config-directory.ts";
import { SUMMARY_CALL } from "../../../test/support/scripts.ts";
import { TarsySystem } from "../../../test/support/tarsy-system.ts";
import { BenchDatabase } from "./bench-database.ts";
import type { BenchmarkContext } from "./benchmark.ts";
import { enableStatementCounts } from "./count-statements.ts";
import type { LoadOptions } from "./load-options.ts";

/** Sessions that one executor runs concurrently. */
export const BENCH_SLOTS = 20;

/** The measured system: durable Postgres, NATS, the services and a connection to the database. */
export interface BenchSystem extends AsyncDisposable {
  readonly servers: BackingServers;
  readonly system: TarsySystem;
  readonly db: BenchDatabase;
}

/** A model without delay: a thought, and an answer of 1,000 characters in 20 deltas. */
export const ZERO_DELAY_SCRIPT = {
  calls: [
    SUMMARY_CALL,
    {
      steps: [
        { thinking: "Which pod restarts, and why? ".repeat(7) },
        { text: "The container is killed for memory: raise its limit to 1Gi. ".repeat(17), chunk_size: 50 },
      ],
    },
  ],
};

/** What the scripted model answers: `steps` of each call. */
export interface ModelScript {
  readonly calls: readonly { readonly steps: readonly object[] }[];
}

/** The same script with a model that waits before each answer. */
export function delayed({ calls }: ModelScript, modelMs: number): ModelScript {
  if (modelMs === 0) return { calls };
  return { calls: calls.map((call) => ({ ...call, steps: [{ delay: `${modelMs}ms` }, ...call.steps] })) };
}

/**
 * Starts everything on free ports; disposal stops and removes it. `files` replace parts of the configuration. Throws the
 * signal's reason when it aborts.
 */
export async function startBenchSystem(
  { executors, statements, cpuProfileDir }: Pick<LoadOptions, "executors" | "statements" | "cpuProfileDir">,
  { signal, progress }: BenchmarkContext,
  files: ConfigFiles = {},
): Promise<BenchSystem> {
  await using resources = new AsyncDisposableStack();
  progress("starting Postgres (durable) and NATS");
  const servers = resources.use(await BackingServers.start({ durable: true }));
  signal.throwIfAborted();
  if (statements) await enableStatementCounts(servers);
  const queue = { worker_count: BENCH_SLOTS, max_concurrent_sessions: BENCH_SLOTS * executors };
  const config = resources.use(
    await testConfigDirectory({ script: ZERO_DELAY_SCRIPT, ...files, tarsy: { queue, ...files.tarsy } }),
  );
  progress(`starting the services, ${executors} executor${executors === 1 ? "" : "s"}`);
  const system = resources.use(
    await TarsySystem.start({
      servers,
      configDir: config.path,
      executors,
      env: await profilingEnvironment(cpuProfileDir),
    }),
  );
  signal.throwIfAborted();
  const db = resources.use(await BenchDatabase.open(servers.postgres.url));
  const owned = resources.move();
  return { servers, system, db, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function profilingEnvironment(directory: string | undefined): Promise<Record<string, string>> {
  if (directory === undefined) return {};
  await mkdir(directory, { recursive: true });
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(directory)}` };
}
