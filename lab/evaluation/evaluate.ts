import { join } from "node:path";
import type { Environment } from "#shared/service/environment.ts";
import { takeLock } from "../../launcher/process/file-lock.mjs";
import packageJson from "../../package.json" with { type: "json" };
import { Configurations } from "./engine/configurations.ts";
import { openEngine } from "./engine/open-engine.ts";
import { runCell } from "./engine/run-cell.ts";
import { judgeCell } from "./grade/judge-cell.ts";
import { planSuite, type SuitePlan } from "./plan/plan-suite.ts";
import type { PlannedCell } from "./plan/planned-cell.ts";
import { makeReport } from "./report/make-report.ts";
import type { Report } from "./report/report.ts";
import type { CellFacts } from "./results/cell-facts.ts";
import { ResultsFile } from "./results/results-file.ts";
import { RunProgress, type ProgressOutput } from "./run/progress.ts";
import { runCells, type CellsRun } from "./run/run-cells.ts";
import { Spending } from "./run/spending.ts";
import type { Suite } from "./suite/suite.ts";

interface Evaluate {
  readonly suite: Suite;
  /** Where results are kept across runs. */
  readonly directory: string;
  /** Results of earlier runs are not used. */
  readonly fresh: boolean;
  readonly env: Environment;
  readonly output: ProgressOutput;
  /** Ends the run; the results so far are kept, and the report says so. */
  readonly signal: AbortSignal;
}

const NOTHING_RUN: CellsRun = { errors: new Map(), isBudgetSpent: false };

/**
 * Runs the cells of a suite that have no result yet, and reports on all of them. Throws AgentConfigError, TerminalError and
 * LaunchError for what cannot be run at all, before any cell is run.
 */
export async function evaluate(options: Evaluate): Promise<Report> {
  const { suite, directory, fresh, env, output, signal } = options;
  const { version } = packageJson;
  const plan = await planSuite(suite, new Configurations(env), version);
  using _lock = claim(directory);
  await using results = await ResultsFile.open(join(directory, "results.jsonl"), { fresh });
  const resultOf = (key: string) => {
    const found = results.find(key);
    // With a larger budget it may come to something else.
    const limit = found?.facts.limited_by_usd ?? Infinity;
    return (suite.budgetUsd === undefined && limit < Infinity) || plan.worstCaseUsd > limit
      ? undefined
      : found;
  };
  const missing = plan.cells.filter(({ key }) => resultOf(key) === undefined);
  const spending = new Spending({ limitUsd: suite.budgetUsd, worstCaseUsd: plan.worstCaseUsd });
  for (const { key } of plan.cells) {
    const known = resultOf(key);
    if (known !== undefined) spending.addSpent(known.facts.cost_usd ?? plan.worstCaseUsd);
  }
  const known = plan.cells.length - missing.length;
  if (known > 0) output.warn(`${known} of ${plan.cells.length} cells have a result from before\n`);
  const run =
    missing.length === 0 ? NOTHING_RUN : await runMissing(options, plan, { missing, results, spending });
  return await makeReport({ suite, plan, results, run, version, isInterrupted: signal.aborted });
}

async function runMissing(
  { suite, output, signal }: Evaluate,
  plan: SuitePlan,
  {
    missing,
    results,
    spending,
  }: {
    readonly missing: readonly PlannedCell[];
    readonly results: ResultsFile;
    readonly spending: Spending;
  },
): Promise<CellsRun> {
  const version = packageJson.version;
  if (!spending.fits) return { errors: new Map(), isBudgetSpent: true };
  try {
    await using engine = await openEngine(suite.parallel, signal);
    using watcher = new RunProgress({
      output,
      total: missing.length,
      spending,
      hasPassed: async (cell, facts) => (await judgeCell(cell, facts)).passed,
    });
    const run = (cell: PlannedCell, stop: AbortSignal): Promise<CellFacts> => {
      const configuration = plan.configurations.get(cell.variant.name);
      if (configuration === undefined) throw new Error(`variant ${cell.variant.name} has no configuration`);
      return runCell(engine, cell, { configuration, judge: plan.judge }, stop);
    };
    return await runCells({
      cells: missing,
      parallel: suite.parallel,
      version,
      results,
      spending,
      watcher,
      run,
      signal,
    });
  } catch (error) {
    if (signal.aborted) return NOTHING_RUN;
    throw error;
  }
}

/** Two runs that write to the same results would run each cell twice. */
function claim(directory: string): Disposable {
  const taken = takeLock(join(directory, "lock"));
  if ("lock" in taken) return { [Symbol.dispose]: () => taken.lock.release() };
  const { identity, since } = taken.holder;
  throw new Error(
    `process ${identity.pid} has been running this suite in ${directory} since ${since}: wait for it, or choose another directory with --out`,
  );
}
