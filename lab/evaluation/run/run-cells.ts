import type { PlannedCell } from "../plan/planned-cell.ts";
import { addUsd } from "../grade/judge-cell.ts";
import type { CellFacts } from "../results/cell-facts.ts";
import type { CellResult } from "../results/cell-result.ts";
import type { ResultsFile } from "../results/results-file.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Spending } from "./spending.ts";

/** How running the cells ended. */
export interface CellsRun {
  /** By key: why a cell has no result. */
  readonly errors: ReadonlyMap<string, string>;
  /** Cells were left out because they could have exceeded the budget. */
  readonly isBudgetSpent: boolean;
}

/** What happens to cells, for the progress. */
export interface CellWatcher {
  started(cell: PlannedCell): void;
  /** With what it came to, or why it came to nothing. */
  ended(cell: PlannedCell, outcome: CellFacts | Error): Promise<void>;
}

interface RunCells {
  /** Without a result, or with questions to the judge that have no reply, in the order in which they are to start. */
  readonly cells: readonly PlannedCell[];
  readonly parallel: number;
  readonly version: string;
  readonly results: ResultsFile<CellResult>;
  readonly spending: Spending;
  readonly watcher: CellWatcher;
  /** Runs one cell. Rejects if it could not be run, which says nothing about the variant. */
  readonly run: (cell: PlannedCell, signal: AbortSignal) => Promise<CellFacts>;
  /** Asks the judge about a cell that has ended; resolves with what that has cost, null if it is not known. Rejects as `run`. */
  readonly judge: (cell: PlannedCell, facts: CellFacts, signal: AbortSignal) => Promise<number | null>;
  /** The facts of a cell that has a result already. */
  readonly known: (cell: PlannedCell) => CellFacts | undefined;
  /** Stops the running cells, which then have no result. */
  readonly signal: AbortSignal;
}

/**
 * Runs cells, several at a time, and stores each result as soon as it is there. Ends early once the signal is aborted, or once the
 * worst case of one more cell would exceed the budget; the results so far are kept either way. Throws if a result cannot be stored.
 */
export async function runCells(options: RunCells): Promise<CellsRun> {
  const { cells, parallel, spending, signal } = options;
  const errors = new Map<string, string>();
  const running = new Set<Promise<void>>();
  let isBudgetSpent = false;
  for (const cell of cells) {
    // A running cell may turn out cheaper than its worst case.
    while (running.size > 0 && (running.size >= parallel || !spending.fits)) await Promise.race(running);
    if (signal.aborted) break;
    if (!spending.fits) {
      isBudgetSpent = true;
      break;
    }
    spending.reserve();
    const run: Promise<void> = runOne(options, cell, errors).finally(() => running.delete(run));
    running.add(run);
  }
  await Promise.all(running);
  return { errors, isBudgetSpent };
}

async function runOne(
  { run, judge, known, results, spending, watcher, version, signal }: RunCells,
  cell: PlannedCell,
  errors: Map<string, string>,
): Promise<void> {
  watcher.started(cell);
  const fail = async (error: unknown) => {
    // What an aborted cell has cost is not known any more.
    spending.settle(null);
    if (!signal.aborted) errors.set(cell.key, errorMessage(error));
    await watcher.ended(cell, error instanceof Error ? error : new Error(errorMessage(error)));
  };
  const before = known(cell);
  let facts: CellFacts;
  try {
    facts = before ?? (await run(cell, signal));
  } catch (error) {
    await fail(error);
    return;
  }
  if (before === undefined) {
    await results.add({
      key: cell.key,
      case: cell.case.name,
      variant: cell.variant.name,
      repetition: cell.repetition,
      version,
      at: new Date().toISOString(),
      facts,
    });
  }
  let judging: number | null;
  try {
    judging = await judge(cell, facts, signal);
  } catch (error) {
    await fail(error);
    return;
  }
  spending.settle(addUsd(before === undefined ? facts.cost_usd : 0, judging));
  await watcher.ended(cell, facts);
}
