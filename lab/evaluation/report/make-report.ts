import { providersOfResolved } from "#shared/agent-config/providers-of-chain.ts";
import { addUsd, gradedWorld, judgeCell } from "../grade/judge-cell.ts";
import type { Ask } from "../engine/ask-model.ts";
import type { SuitePlan } from "../plan/plan-suite.ts";
import type { PlannedCell } from "../plan/planned-cell.ts";
import type { CellResult } from "../results/cell-result.ts";
import { isDone, type JudgedCell } from "../results/judged-cell.ts";
import type { ResultsFile } from "../results/results-file.ts";
import type { CellsRun } from "../run/run-cells.ts";
import { compareVariants } from "../statistics/compare-variants.ts";
import { measureWorlds } from "../statistics/measure-worlds.ts";
import { summarizeVariants } from "../statistics/summarize-variants.ts";
import type { Suite } from "../suite/suite.ts";
import { describeRun } from "./describe-run.ts";
import type { Report } from "./report.ts";

/** Checks the assertions of all cells that have a result and sums them up. */
export async function makeReport({
  suite,
  plan,
  results,
  replies,
  run,
  version,
  isInterrupted,
}: {
  readonly suite: Suite;
  readonly plan: SuitePlan;
  readonly results: Pick<ResultsFile<CellResult>, "find">;
  /** The replies of the judge that there are; undefined without one. */
  readonly replies: Ask | undefined;
  readonly run: CellsRun;
  readonly version: string;
  readonly isInterrupted: boolean;
}): Promise<Report> {
  const cells = await Promise.all(plan.cells.map(async (cell) => judged(cell, { results, replies, run })));
  const variants = suite.variants.map(({ name }) => name);
  const cases = suite.cases.map(({ name }) => name);
  const costs = cells.filter(isDone).map(({ facts }) => facts.cost_usd);
  const judge = plan.judge?.agent.llm_provider;
  return {
    suite: suite.name,
    suiteHash: suite.hash,
    version,
    madeAt: new Date().toISOString(),
    state: stateOf(cells, run, isInterrupted),
    variants: variants.map((name) => ({
      name,
      ...describe(name, plan),
      answered: answeredIn(cells.filter(({ variant }) => variant === name)),
    })),
    cases,
    repetitions: suite.repetitions,
    judge: judge === undefined ? null : `${judge.name} (${judge.model})`,
    spentUsd: costs.reduce<number | null>(addUsd, 0),
    budgetUsd: suite.budgetUsd ?? null,
    cells: cells.toSorted((a, b) => cases.indexOf(a.case) - cases.indexOf(b.case)),
    summaries: summarizeVariants(variants, cells),
    comparisons: compareVariants(variants, cases, cells),
    worlds: measureWorlds(variants, cells),
    ...describeRun(plan),
  };
}

async function judged(
  cell: PlannedCell,
  {
    results,
    replies,
    run: { errors },
  }: Pick<Parameters<typeof makeReport>[0], "results" | "replies" | "run">,
): Promise<JudgedCell> {
  const { key, variant, repetition } = cell;
  const place = { case: cell.case.name, variant: variant.name, repetition };
  const message = errors.get(key);
  const found = results.find(key);
  if (message !== undefined) {
    const world = cell.world === undefined ? {} : { world: await gradedWorld(cell, cell.world) };
    return { ...place, ...world, state: "error", message };
  }
  if (found === undefined) return { ...place, state: "missing" };
  const { isOpen, costUsd, models, ...worth } = await judgeCell(cell, found.facts, replies);
  if (isOpen) return { ...place, state: "missing" };
  const facts = {
    ...found.facts,
    models: [...(found.facts.models ?? []), ...models],
    cost_usd: addUsd(found.facts.cost_usd, costUsd),
  };
  return { ...place, state: "done", facts, ...worth };
}

function stateOf(
  cells: readonly JudgedCell[],
  { isBudgetSpent }: CellsRun,
  isInterrupted: boolean,
): Report["state"] {
  if (cells.every(isDone)) return "complete";
  if (isInterrupted) return "interrupted";
  return isBudgetSpent ? "budget" : "incomplete";
}

/** Who has answered for each model that was asked. */
function answeredIn(cells: readonly JudgedCell[]): Report["variants"][number]["answered"] {
  const models = cells.filter(isDone).flatMap(({ facts }) => facts.models ?? []);
  const byAsked = Map.groupBy(models, ({ asked }) => asked);
  return [...byAsked].map(([asked, all]) => ({
    asked,
    by: [...new Set(all.map(({ answered }) => answered))].toSorted(),
  }));
}

/** The models that a variant's chains use, and the directory of its configuration. */
function describe(name: string, { cells, configurations }: SuitePlan) {
  const providers = cells
    .filter(({ variant, repetition }) => variant.name === name && repetition === 1)
    .flatMap(({ chain }) => providersOfResolved(chain));
  const models = providers.map((provider) => `${provider.name} (${provider.model})`);
  const path = configurations.get(name)?.path ?? "";
  return {
    description: `${[...new Set(models)].join(", ")}; configuration ${path}`,
    isScripted: providers.some(({ type }) => type === "scripted"),
  };
}
