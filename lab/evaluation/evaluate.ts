import { join } from "node:path";
import type { Environment } from "#shared/service/environment.ts";
import { takeLock } from "../../launcher/process/file-lock.mjs";
import packageJson from "../../package.json" with { type: "json" };
import { Configurations } from "./engine/configurations.ts";
import { costEstimationOf } from "#shared/agent-config/cost-estimation-of.ts";
import { askModel, questionKey, type Ask } from "./engine/ask-model.ts";
import { openEngine, type Engine } from "./engine/open-engine.ts";
import { runCell } from "./engine/run-cell.ts";
import { addUsd, judgeCell } from "./grade/judge-cell.ts";
import { planSuite, type SuitePlan } from "./plan/plan-suite.ts";
import type { PlannedCell } from "./plan/planned-cell.ts";
import { makeReport } from "./report/make-report.ts";
import type { Report } from "./report/report.ts";
import type { CellFacts } from "./results/cell-facts.ts";
import { parseCellResult, type CellResult } from "./results/cell-result.ts";
import { parseReply, type Reply } from "./results/reply.ts";
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
  await using results = await ResultsFile.open(join(directory, "results.jsonl"), {
    fresh,
    parse: parseCellResult,
  });
  await using replies = await ResultsFile.open(join(directory, "replies.jsonl"), {
    fresh,
    parse: parseReply,
  });
  const known = ({ key }: PlannedCell) => {
    const facts = results.find(key)?.facts;
    // With a larger budget it may come to something else.
    const limit = facts?.limited_by_usd ?? Infinity;
    return (suite.budgetUsd === undefined && limit < Infinity) || plan.worstCaseUsd > limit
      ? undefined
      : facts;
  };
  const { judge } = plan;
  const stored: Ask | undefined =
    judge && ((question) => Promise.resolve(replies.find(questionKey(judge.agent, question))));
  const spending = new Spending({ limitUsd: suite.budgetUsd, worstCaseUsd: plan.worstCaseUsd });
  for (const { cost_usd: cost } of replies.all()) spending.addSpent(cost ?? 0);
  const missing: PlannedCell[] = [];
  let before = 0;
  for (const cell of plan.cells) {
    const facts = known(cell);
    if (facts === undefined || (await judgeCell(cell, facts, stored)).isOpen) missing.push(cell);
    if (facts === undefined) continue;
    before += 1;
    spending.addSpent(facts.cost_usd ?? plan.worstCaseUsd);
  }
  if (before > 0) output.warn(`${before} of ${plan.cells.length} cells have a result from before\n`);
  const run =
    missing.length === 0
      ? NOTHING_RUN
      : await runMissing(options, plan, { missing, known, results, replies, stored, spending });
  return await makeReport({
    suite,
    plan,
    results,
    replies: stored,
    run,
    version,
    isInterrupted: signal.aborted,
  });
}

async function runMissing(
  { suite, output, signal }: Evaluate,
  plan: SuitePlan,
  {
    missing,
    known,
    results,
    replies,
    stored,
    spending,
  }: {
    readonly missing: readonly PlannedCell[];
    readonly known: (cell: PlannedCell) => CellFacts | undefined;
    readonly results: ResultsFile<CellResult>;
    readonly replies: ResultsFile<Reply>;
    readonly stored: Ask | undefined;
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
      hasPassed: async (cell, facts) => (await judgeCell(cell, facts, stored)).passed,
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
      known,
      judge: (cell, facts, stop) => askJudge({ engine, plan, replies }, { cell, facts }, stop),
      signal,
    });
  } catch (error) {
    if (signal.aborted) return NOTHING_RUN;
    throw error;
  }
}

/** Asks the judge what it was not asked yet about a cell; resolves with what that has cost. */
async function askJudge(
  {
    engine,
    plan: { judge, worstCaseUsd },
    replies,
  }: { readonly engine: Engine; readonly plan: SuitePlan; readonly replies: ResultsFile<Reply> },
  { cell, facts }: { readonly cell: PlannedCell; readonly facts: CellFacts },
  signal: AbortSignal,
): Promise<number | null> {
  if (judge === undefined) return 0;
  const { agent, configuration } = judge;
  let spent: number | null = 0;
  const limitUsd = worstCaseUsd === 0 ? Infinity : worstCaseUsd - (facts.cost_usd ?? worstCaseUsd);
  await judgeCell(cell, facts, async (question) => {
    const known = replies.find(questionKey(agent, question));
    if (known !== undefined) return known;
    const { llm: client, log } = (await engine.executorOf(configuration)).deps;
    const model = { agent, client, log, costEstimation: costEstimationOf(configuration.config) };
    const left = limitUsd === Infinity ? limitUsd : limitUsd - (spent ?? limitUsd);
    const reply = await askModel(model, question, { limitUsd: left, signal });
    await replies.add(reply);
    spent = addUsd(spent, reply.cost_usd);
    return reply;
  });
  return spent;
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
