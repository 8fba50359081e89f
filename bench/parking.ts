import { writeFile } from "node:fs/promises";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SUMMARY_CALL } from "../test/support/scripts.ts";
import { TarsyClient } from "../test/support/tarsy-client.ts";
import { until } from "../test/support/until.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { formatTable } from "./support/format-table.ts";
import { percentile } from "./support/percentile.ts";
import { readNumberOptions } from "./support/read-number-options.ts";
import { startBenchSystem, type BenchSystem } from "./support/start-bench-system.ts";

const OPTIONS = { rounds: { fallback: 20, max: 200 } };
/** As configured by default. */
const SLOTS = 5;

const FILES = {
  tarsy: { queue: { worker_count: SLOTS, max_concurrent_sessions: SLOTS } },
  script: {
    calls: [
      SUMMARY_CALL,
      { when: { contains: "URGENT" }, steps: [{ text: "The container is killed for memory." }] },
      { steps: [{ text: "This takes" }, { hang: true }] },
    ],
  },
};

const WRITING = `
SELECT session_id FROM timeline_events WHERE session_id = ANY($1) AND status = 'streaming' GROUP BY session_id`;
const parseWriting = compileParser("session that writes", Type.Object({ session_id: Type.String() }));

/** From the insert of the alert, which its 202 follows at once, to the start of its agent. */
const FIRST_STEP = `
SELECT (extract(epoch FROM min(e.started_at) - s.created_at) * 1000)::float8 AS ms
FROM alert_sessions s JOIN agent_executions e USING (session_id) WHERE session_id = $1 GROUP BY s.created_at`;
const parseFirstStep = compileParser("first step", Type.Object({ ms: Type.Number() }));

interface ParkingFigures {
  readonly idle: readonly number[];
  readonly full: readonly number[];
}

/** Critical alerts on an idle system, and while all places are taken by sessions of low priority whose model is writing. */
export const parking: Benchmark = {
  summary: "time to the first step of a critical alert while all places are taken: ratio to an idle system",
  usage: `usage: npm run bench -- parking [options]

  --rounds N     critical alerts of each kind, one after the other, 1 to 200 (20)
  --json FILE    also writes the figures to FILE as JSON, in milliseconds
  --help         prints this
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    const figures = await measure(number("rounds"), context);
    context.print(render(figures));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(figures, null, 2)}\n`);
  },
};

async function measure(rounds: number, context: BenchmarkContext): Promise<ParkingFigures> {
  const { progress, signal } = context;
  await using bench = await startBenchSystem(
    { executors: 1, statements: false, cpuProfileDir: undefined },
    context,
    FILES,
  );
  const client = new TarsyClient(bench.system);
  await firstStep(bench, client); // warms up
  const [idle, full]: [number[], number[]] = [[], []];
  for (let round = 1; round <= rounds; round += 1) {
    signal.throwIfAborted();
    if (round % 5 === 0) progress(`round ${round} of ${rounds}`);
    idle.push(await firstStep(bench, client));
    const low = await Promise.all(
      Array.from({ length: SLOTS }, async () => client.submit("slow", { priority: "low" })),
    );
    await until("the model writes in all places", async () => {
      return (await bench.db.rows(parseWriting, WRITING, [low])).length === SLOTS;
    });
    full.push(await firstStep(bench, client));
    await Promise.all(low.map(async (id) => client.request("POST", `/api/v1/sessions/${id}/cancel`)));
    for (const id of low) await client.waitFor(id, ["cancelled"]);
  }
  return { idle, full };
}

/** Submits a critical alert, waits for its end, and returns the milliseconds to its first step. */
async function firstStep({ db }: BenchSystem, client: TarsyClient): Promise<number> {
  const id = await client.submit("URGENT", { priority: "critical" });
  await client.waitFor(id, ["completed"]);
  const [row] = await db.rows(parseFirstStep, FIRST_STEP, [id]);
  if (row === undefined) throw new Error(`session ${id} has no agent`);
  return row.ms;
}

function render({ idle, full }: ParkingFigures): string {
  const row = (name: string, ms: readonly number[]) => [
    name,
    ...[0.5, 0.95, 1].map((share) => percentile(ms, share)),
  ];
  const ratio = (share: number) => (percentile(full, share) / percentile(idle, share)).toFixed(0);
  const table = formatTable([
    ["to the first step", "p50 ms", "p95 ms", "max ms"],
    row("idle", idle),
    row(`${SLOTS} low sessions run`, full),
    ["ratio", ratio(0.5), ratio(0.95), ratio(1)],
  ]);
  return `
${full.length} critical alerts with ${SLOTS} places. A call of the model that runs has 2 s to end before its session is parked.

${table}
`;
}
