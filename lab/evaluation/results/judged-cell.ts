import type { Checked } from "../assertions/check-assertion.ts";
import type { Grade } from "../grade/grade-conclusion.ts";
import type { JudgedStatement } from "../grade/judge-statement.ts";
import type { CellFacts } from "./cell-facts.ts";

/** A world with what is right about it. */
export interface GradedWorld {
  /** Absent of a cell without a result. */
  readonly grade?: Grade;
  /** It states no conclusion as data: a model has read the causes from its analysis. */
  readonly isMapped: boolean;
  /** Of the truth, as the judge has found them in the answer. */
  readonly statements: readonly JudgedStatement[];
  readonly hash: string;
  /** Of the first cause that is right; `none` where nothing is wrong. */
  readonly category: string;
  readonly difficulty: string;
  /** Worlds of one incident have the same. */
  readonly incident: string;
  /** Its alert says that the fault was made. */
  readonly isLeak: boolean;
  /** It has so few answers that a miss says nothing about the agent. */
  readonly isThin: boolean;
}

/** A cell of the matrix with what came of it. */
export type JudgedCell = {
  /** The name of its cassette or world. */
  readonly case: string;
  readonly variant: string;
  /** From 1. */
  readonly repetition: number;
  /** Of a world. */
  readonly world?: GradedWorld;
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

/** A cell of a world that the run has come to. */
export type WorldCell = JudgedCell & { readonly world: GradedWorld };

/** A cell that the run did not come to says nothing. */
export function isOfWorld(cell: JudgedCell): cell is WorldCell {
  return cell.world !== undefined && cell.state !== "missing";
}

/** True if the fault is named first. */
export function isRight({ world }: WorldCell): boolean {
  return world.grade?.a1 === true;
}
