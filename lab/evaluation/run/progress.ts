import { durationText } from "../../../scripts/tarsy/terminal/terminal-style.ts";
import { usdShown } from "../report/usd-shown.ts";
import type { PlannedCell } from "../plan/planned-cell.ts";
import type { CellFacts } from "../results/cell-facts.ts";
import type { CellWatcher } from "./run-cells.ts";
import type { Spending } from "./spending.ts";

/** Where progress is written. */
export interface ProgressOutput {
  /** Writes to standard error. */
  readonly warn: (text: string) => void;
  /** The last line may be replaced. */
  readonly isTerminal: boolean;
  readonly columns: number;
}

/** Says how far a run is: a line for each cell that has ended, and in a terminal one below that is replaced. */
export class RunProgress implements CellWatcher, Disposable {
  readonly #output: ProgressOutput;
  readonly #total: number;
  readonly #spending: Spending;
  readonly #hasPassed: (cell: PlannedCell, facts: CellFacts) => Promise<boolean>;
  readonly #since = performance.now();
  readonly #startedAt = new Map<string, number>();
  #ended = 0;
  #passed = 0;
  #failed = 0;
  #isShown = false;

  constructor(options: {
    readonly output: ProgressOutput;
    /** The cells to be run. */
    readonly total: number;
    readonly spending: Spending;
    readonly hasPassed: (cell: PlannedCell, facts: CellFacts) => Promise<boolean>;
  }) {
    this.#output = options.output;
    this.#total = options.total;
    this.#spending = options.spending;
    this.#hasPassed = options.hasPassed;
  }

  started(cell: PlannedCell): void {
    this.#startedAt.set(cell.key, performance.now());
    this.#draw();
  }

  async ended(cell: PlannedCell, outcome: CellFacts | Error): Promise<void> {
    this.#startedAt.delete(cell.key);
    this.#ended += 1;
    const isError = outcome instanceof Error;
    const passed = !isError && (await this.#hasPassed(cell, outcome));
    if (passed) this.#passed += 1;
    else this.#failed += 1;
    const said = isError ? `not run: ${outcome.message.split("\n", 1)[0] ?? ""}` : described(outcome);
    const name = `${cell.case.name} × ${cell.variant.name} #${cell.repetition}`;
    this.#erase();
    this.#output.warn(
      `${this.#ended}/${this.#total} ${isError ? "error" : passed ? "pass" : "fail"}  ${name}  ${said}\n`,
    );
    this.#draw();
  }

  [Symbol.dispose](): void {
    this.#erase();
  }

  #draw(): void {
    if (!this.#output.isTerminal) return;
    this.#erase();
    const running = this.#startedAt.size;
    const text = [
      `${this.#ended} of ${this.#total}`,
      `${running} running`,
      `${this.#passed} passed`,
      `${this.#failed} failed`,
      `${usdShown(this.#spending.usd)} spent`,
      ...this.#timeLeft(),
    ].join(", ");
    this.#output.warn(`… ${text}`.slice(0, Math.max(this.#output.columns - 1, 10)));
    this.#isShown = true;
  }

  /** From the time that the cells so far took together. */
  #timeLeft(): string[] {
    if (this.#ended === 0) return [];
    const each = (performance.now() - this.#since) / this.#ended;
    return [`about ${durationText(each * (this.#total - this.#ended))} left`];
  }

  #erase(): void {
    if (this.#isShown) this.#output.warn("\r\u001B[K");
    this.#isShown = false;
  }
}

function described({ status, score, cost_usd: cost, duration_ms: ms }: CellFacts): string {
  return [
    status,
    ...(score === null ? [] : [`score ${score}`]),
    ...(cost === null ? [] : [usdShown(cost)]),
    durationText(ms),
  ].join(", ");
}
