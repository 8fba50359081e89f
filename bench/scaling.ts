import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { BackingServers } from "../test/support/backing-servers.ts";
import { testConfigDirectory } from "../test/support/config-directory.ts";
import { TarsyClient } from "../test/support/tarsy-client.ts";
import { TarsySystem } from "../test/support/tarsy-system.ts";
import { until } from "../test/support/until.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { formatTable } from "./support/format-table.ts";
import { postAlerts } from "./support/post-alerts.ts";

const SLOTS = 8;
const MAX_RUNNING = 32;
const EXECUTORS = [1, 2, 4] as const;
const ROUNDS = 2;
/** Each run fills all slots this many times, so that its start and end have little weight. */
const WAVES = 10;
const WARM_UP = 8;
const RUN_LIMIT_MS = 300_000;

/** Every LLM call takes a second. A session makes two, one of them for the summary. */
const SCRIPT = { calls: [{ steps: [{ delay: "1s" }, { text: "The disk is full." }] }] };
const SECONDS_PER_SESSION = 2;

/** The result of one run. */
interface Run {
  readonly executors: number;
  readonly sessionsPerSecond: number;
  /** The highest number of concurrent sessions. */
  readonly mostRunning: number;
}

const parseFigures = compileParser(
  "figures",
  Type.Array(Type.Object({ seconds: Type.Number(), most: Type.Integer() }), { minItems: 1, maxItems: 1 }),
);

/** How sessions per second grow with the number of executors if sessions only wait for their model. */
export const scaling: Benchmark = {
  summary: "sessions that wait for a slow model, with 1, 2 and 4 executors",
  usage: `usage: npm run bench -- scaling

${ROUNDS} interleaved rounds of ${EXECUTORS.join(", ")} executors with ${SLOTS} slots each, at most ${MAX_RUNNING} concurrent sessions, and a model
that takes 1 s per call.
`,
  run: async (_args, context) => {
    const runs: Run[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      for (const executors of EXECUTORS) {
        context.progress(`round ${round} of ${ROUNDS}: ${executors} executor${executors === 1 ? "" : "s"}`);
        runs.push(await measure(executors, context));
      }
    }
    context.print(`${render(runs)}\n`);
  },
};

async function measure(executors: number, { signal }: BenchmarkContext): Promise<Run> {
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await BackingServers.start({ durable: true }));
  const queue = { worker_count: SLOTS, max_concurrent_sessions: MAX_RUNNING };
  const config = resources.use(await testConfigDirectory({ tarsy: { queue }, script: SCRIPT }));
  const system = resources.use(await TarsySystem.start({ servers, configDir: config.path, executors }));
  const post = async (count: number) => postAlerts({ api: system.api, count, clients: 8, signal });
  const warmUp = await post(WARM_UP * executors);
  await finished(system, warmUp.sessionIds, signal);
  const { sessionIds } = await post(WAVES * SLOTS * executors);
  await finished(system, sessionIds, signal);
  const figures = await servers.query(
    `WITH measured AS (SELECT started_at, completed_at FROM alert_sessions WHERE session_id = ANY($1)),
       moments AS (SELECT started_at AS at, 1 AS change FROM measured
         UNION ALL SELECT completed_at, -1 FROM measured),
       sums AS (SELECT sum(change) OVER (ORDER BY at, change) AS running FROM moments)
     SELECT (SELECT extract(epoch FROM max(completed_at) - min(started_at)) FROM measured)::float8 AS seconds,
       (SELECT max(running) FROM sums)::int AS most`,
    [sessionIds],
  );
  const [{ seconds, most } = { seconds: Number.NaN, most: 0 }] = parseFigures(figures);
  return { executors, sessionsPerSecond: sessionIds.length / seconds, mostRunning: most };
}

async function finished(system: TarsySystem, ids: readonly string[], signal: AbortSignal): Promise<void> {
  const client = new TarsyClient(system);
  for (const id of ids) {
    signal.throwIfAborted();
    await until(
      `session ${id} is completed`,
      async () => {
        signal.throwIfAborted();
        return (await client.session(id)).status === "completed";
      },
      RUN_LIMIT_MS,
    );
  }
}

function render(runs: readonly Run[]): string {
  const best = (executors: number) =>
    Math.max(...runs.filter((run) => run.executors === executors).map((run) => run.sessionsPerSecond));
  const rows = EXECUTORS.map((executors) => {
    const own = runs.filter((run) => run.executors === executors);
    return [
      `${executors}`,
      own.map((run) => run.sessionsPerSecond.toFixed(2)).join(", "),
      (best(executors) / best(1)).toFixed(2),
      `${Math.round((100 * best(executors) * SECONDS_PER_SESSION) / (SLOTS * executors))} %`,
      Math.max(...own.map((run) => run.mostRunning)),
    ];
  });
  return formatTable([
    ["executors", "sessions/s", "best to best of 1", "of the ideal", "most concurrent"],
    ...rows,
  ]);
}
