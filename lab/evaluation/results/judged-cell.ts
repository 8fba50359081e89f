import type { Checked } from "../assertions/check-assertion.ts";
import type { CellFacts } from "./cell-facts.ts";

/** A cell of the matrix with what came of it. */
export type JudgedCell = {
  readonly cassette: string;
  readonly variant: string;
  /** From 1. */
  readonly repetition: number;
} & (
  | {
      readonly state: "done";
      readonly facts: CellFacts;
      readonly checks: readonly Checked[];
      /** All assertions hold; without any, that the investigation completed. */
      readonly passed: boolean;
    }
  /** It could not be run; the next run tries it again. */
  | { readonly state: "error"; readonly message: string }
  /** It was not run: the budget or the run ended before. */
  | { readonly state: "missing" }
);

/** A cell with facts. */
export type DoneCell = Extract<JudgedCell, { readonly state: "done" }>;

/** True for a cell that was run to its end. */
export function isDone(cell: JudgedCell): cell is DoneCell {
  return cell.state === "done";
}
