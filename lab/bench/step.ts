import { writeFile } from "node:fs/promises";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { PAST_TRIGGERS } from "#shared/database/past/past-triggers.ts";
import { TarsyClient } from "../../test/support/tarsy-client.ts";
import { renderStepReport } from "./step/render-step-report.ts";
import { BUDGETED_TYPE, SHAPES, TURNS, shapeConfig, type ShapeName } from "./step/shapes.ts";
import { stepReport, type ShapeTotals, type StepReport } from "./step/step-report.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import {
  readStatementCounts,
  resetStatementCounts,
  type StatementCount,
} from "./support/count-statements.ts";
import { describeMachine } from "./support/machine.ts";
import { readNumberOptions } from "./support/read-number-options.ts";
import { startBenchSystem, type BenchSystem } from "./support/start-bench-system.ts";
import { waitForSessions } from "./support/wait-for-sessions.ts";

const OPTIONS = { rounds: { fallback: 5, max: 1_000 } };
const SESSIONS_PER_ROUND = 4;
const WARM_UP = 2;
const COMMITS = 50;
const POLL_MS = 5;
const BUDGETED = { alert_type: BUDGETED_TYPE };
/** Most of it are calls of the model. */
const BUDGETED_SHAPE = "double-turns";
/** The last of the shapes, so that the session with the past runs right before the one without. */
const PAST_SHAPE = "double-turns";
const parseNothing = compileParser("row", Type.Object({}));
/** The query that waits for sessions; it is not counted. */
const OWN_STATEMENT = /\bunfinished\b/u;

/** The cost of one agent step in Postgres, derived from the differences between sessions of three shapes. */
export const step: Benchmark = {
  summary: "one agent step: statements, transactions and time, against one bare commit",
  usage: `usage: npm run bench -- step [options]

  --rounds N     rounds of ${SESSIONS_PER_ROUND} sessions of each shape, 1 to 1000 (5)
  --json FILE    also writes the figures to FILE as JSON; the names end in the unit
  --help         prints this
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    const report = await measure(number("rounds"), context);
    context.print(renderStepReport(report));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  },
};

async function measure(rounds: number, context: BenchmarkContext): Promise<StepReport> {
  const startedAt = new Date();
  const options = { executors: 1, statements: true, cpuProfileDir: undefined };
  await using bench = await startBenchSystem(options, context, shapeConfig());
  const machine = await describeMachine(bench.servers, bench.db);
  context.progress("warming up");
  for (const shape of SHAPES) await runShape(bench, context, shape, { sessions: WARM_UP });
  await runShape(bench, context, BUDGETED_SHAPE, { sessions: WARM_UP, fields: BUDGETED });
  const totals = new Map<ShapeName, ShapeTotals[]>(SHAPES.map((shape) => [shape, []]));
  const budgeted: ShapeTotals[] = [];
  const withoutPast: ShapeTotals[] = [];
  const commits: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    context.progress(`round ${round} of ${rounds}`);
    // Interleaved, so that other load on the machine affects all shapes alike.
    for (const shape of SHAPES) {
      totals.get(shape)?.push(await runShape(bench, context, shape));
      commits.push(...(await bench.db.commitLatencies(COMMITS)));
    }
    await keepPast(bench, context, false);
    withoutPast.push(await runShape(bench, context, PAST_SHAPE));
    await keepPast(bench, context, true);
    budgeted.push(await runShape(bench, context, BUDGETED_SHAPE, { fields: BUDGETED }));
  }
  context.progress("stopping and removing everything");
  const settings = { rounds, sessions_per_round: SESSIONS_PER_ROUND, turns: TURNS };
  return stepReport({ startedAt, machine, settings, totals, budgeted, withoutPast, commits });
}

/** Switches the triggers on or off that keep what commits overwrite; afterwards every statement is planned anew. */
async function keepPast(bench: BenchSystem, context: BenchmarkContext, isOn: boolean): Promise<void> {
  for (const { table, name } of PAST_TRIGGERS) {
    await bench.db.rows(parseNothing, `ALTER TABLE ${table} ${isOn ? "ENABLE" : "DISABLE"} TRIGGER ${name}`);
  }
  await runShape(bench, context, PAST_SHAPE, { sessions: WARM_UP });
}

/** Runs sessions of a shape one at a time; resolves with averages per session. */
async function runShape(
  bench: BenchSystem,
  context: BenchmarkContext,
  shape: ShapeName,
  {
    sessions = SESSIONS_PER_ROUND,
    fields = {},
  }: { readonly sessions?: number; readonly fields?: object } = {},
): Promise<ShapeTotals> {
  const client = new TarsyClient(bench.system);
  await resetStatementCounts(bench.db);
  const before = await bench.db.counters();
  const ids: string[] = [];
  for (let n = 0; n < sessions; n++) {
    ids.push(await client.submit(`the disk of ${shape} is full`, fields));
    await waitForSessions(bench, context, POLL_MS);
  }
  const after = await bench.db.counters();
  const counted = (await readStatementCounts(bench.db)).filter(({ query }) => !OWN_STATEMENT.test(query));
  const times = await bench.db.sessionTimes(ids);
  if (times.completed !== sessions) {
    throw new Error(`only ${times.completed} of ${sessions} sessions completed`);
  }
  return {
    statements: sumOf(counted) / sessions,
    transactions: sumOf(counted.filter(({ query }) => query === "COMMIT")) / sessions,
    writes: (after.writeTransactions - before.writeTransactions) / sessions,
    walKb: (after.walBytes - before.walBytes) / 1_000 / sessions,
    postgresMs: counted.reduce((sum, { planMs, runMs }) => sum + planMs + runMs, 0) / sessions,
    ms: times.startedToCompletedP50Ms,
  };
}

function sumOf(counts: readonly StatementCount[]): number {
  return counts.reduce((sum, { calls }) => sum + calls, 0);
}
