import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { testConfigDirectory, type ConfigFiles } from "../../../test/support/config-directory.ts";
import { SERVICES } from "../../../test/support/spawn-service.ts";
import { TarsySystem } from "../../../test/support/tarsy-system.ts";
import { BENCH_SLOTS, ZERO_DELAY_SCRIPT } from "../support/start-bench-system.ts";
import { startMeasuredServers } from "./start-measured-servers.ts";
import type { UnitSystem } from "./unit-system.ts";

/** Our system, running. */
export interface TarsyUnits extends UnitSystem {
  readonly system: TarsySystem;
  stopExecutors(): Promise<void>;
}

interface StartTarsy {
  /** The directory with the code of the services; by default this checkout. */
  readonly checkout?: string;
  readonly executors: number;
  /** Sessions that one executor runs concurrently; by default 20. */
  readonly slots?: number;
  /** Replace parts of the configuration. */
  readonly files?: ConfigFiles;
  readonly signal: AbortSignal;
}

const parseDone = compileParser("done session", Type.Object({ id: Type.String(), times: Type.Integer() }));
/** The event of a session's end is written in the same transaction as its status. */
const DONE = `
SELECT s.session_id::text AS id,
       count(e.id) FILTER (WHERE s.status = 'completed')::int AS times
FROM alert_sessions s
LEFT JOIN events e ON e.session_id = s.session_id AND e.payload->>'type' = 'session.completed'
GROUP BY s.session_id`;

/**
 * Starts the five services of a checkout with a model that answers immediately, on servers of their own. A unit of work is a
 * session. The configuration, Postgres, NATS and the flags of Node are those of this checkout. Disposal stops everything.
 */
export async function startTarsy({
  checkout,
  executors,
  slots = BENCH_SLOTS,
  files,
  signal,
}: StartTarsy): Promise<TarsyUnits> {
  await using resources = new AsyncDisposableStack();
  const measured = resources.use(await startMeasuredServers());
  const { servers, db } = measured;
  signal.throwIfAborted();
  const queue = { worker_count: slots, max_concurrent_sessions: slots * executors };
  const config = resources.use(
    await testConfigDirectory({ script: ZERO_DELAY_SCRIPT, ...files, tarsy: { queue, ...files?.tarsy } }),
  );
  const system = resources.use(
    await TarsySystem.prepare({
      servers,
      configDir: config.path,
      ...(checkout === undefined ? {} : { checkout }),
    }),
  );
  const more = Array.from({ length: executors - 1 }, () => "executor" as const);
  await Promise.all([...SERVICES, ...more].map((name) => system.startService(name)));
  signal.throwIfAborted();
  const owned = resources.move();
  return {
    measured,
    system,
    api: system.api,
    pids: () => [...system.running().flatMap(({ process: { pid } }) => pid ?? []), servers.nats.pid],
    unfinished: async () => {
      const exited = system
        .running()
        .find(({ process: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null);
      if (exited !== undefined) throw new Error(`${exited.name} has exited:\n${system.output.slice(-2_000)}`);
      return db.unfinishedSessions();
    },
    timesDone: async () => new Map((await db.rows(parseDone, DONE)).map(({ id, times }) => [id, times])),
    stopExecutors: async () => {
      await Promise.all(system.all("executor").map((executor) => system.end(executor, "SIGTERM")));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
