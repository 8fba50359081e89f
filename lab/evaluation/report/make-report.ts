import { providersOfResolved } from "#shared/agent-config/providers-of-chain.ts";
import { checkAssertion } from "../assertions/check-assertion.ts";
import type { SuitePlan } from "../plan/plan-suite.ts";
import type { PlannedCell } from "../plan/planned-cell.ts";
import { hasPassed } from "../results/has-passed.ts";
import { isDone, type JudgedCell } from "../results/judged-cell.ts";
import type { ResultsFile } from "../results/results-file.ts";
import type { CellsRun } from "../run/run-cells.ts";
import { compareVariants } from "../statistics/compare-variants.ts";
import { summarizeVariants } from "../statistics/summarize-variants.ts";
import type { Suite } from "../suite/suite.ts";
import type { Report } from "./report.ts";

/** Checks the assertions of all cells that have a result and sums them up. */
export function makeReport({
  suite,
  plan,
  results,
  run,
  version,
  isInterrupted,
}: {
  readonly suite: Suite;
  readonly plan: SuitePlan;
  readonly results: Pick<ResultsFile, "find">;
  readonly run: CellsRun;
  readonly version: string;
  readonly isInterrupted: boolean;
}): Report {
  const cells = plan.cells.map((cell) => judged(cell, results, run));
  const variants = suite.variants.map(({ name }) => name);
  const cassettes = suite.cassettes.map(({ name }) => name);
  const costs = cells.filter(isDone).map(({ facts }) => facts.cost_usd);
  const judge = plan.judge?.agent.llm_provider;
  return {
    suite: suite.name,
    version,
    madeAt: new Date().toISOString(),
    state: stateOf(cells, run, isInterrupted),
    variants: variants.map((name) => ({ name, description: describe(name, plan) })),
    cassettes,
    repetitions: suite.repetitions,
    judge: judge === undefined ? null : `${judge.name} (${judge.model})`,
    spentUsd: costs.reduce<number | null>(
      (sum, cost) => (sum === null || cost === null ? null : sum + cost),
      0,
    ),
    budgetUsd: suite.budgetUsd ?? null,
    cells: cells.toSorted((a, b) => cassettes.indexOf(a.cassette) - cassettes.indexOf(b.cassette)),
    summaries: summarizeVariants(variants, cells),
    comparisons: compareVariants(variants, cassettes, cells),
  };
}

function judged(
  { key, cassette, variant, repetition }: PlannedCell,
  results: Pick<ResultsFile, "find">,
  { errors }: CellsRun,
): JudgedCell {
  const place = { cassette: cassette.name, variant: variant.name, repetition };
  const message = errors.get(key);
  if (message !== undefined) return { ...place, state: "error", message };
  const facts = results.find(key)?.facts;
  if (facts === undefined) return { ...place, state: "missing" };
  const checks = cassette.assertions.map((assertion) => checkAssertion(assertion, facts));
  return { ...place, state: "done", facts, checks, passed: hasPassed(facts, checks) };
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

/** The models that a variant's chains use, and the directory of its configuration. */
function describe(name: string, { cells, configurations }: SuitePlan): string {
  const providers = cells
    .filter(({ variant, repetition }) => variant.name === name && repetition === 1)
    .flatMap(({ chain }) => providersOfResolved(chain))
    .map((provider) => `${provider.name} (${provider.model})`);
  const path = configurations.get(name)?.path ?? "";
  return `${[...new Set(providers)].join(", ")}; configuration ${path}`;
}
