import type { JudgedCell } from "../results/judged-cell.ts";
import type { WorldMeasures } from "../statistics/measure-worlds.ts";
import type { VariantComparison } from "../statistics/compare-variants.ts";
import type { VariantSummary } from "../statistics/summarize-variants.ts";

/** Everything that the outputs of an evaluation show. */
export interface Report {
  readonly suite: string;
  /** SHA-256 of its file, in hexadecimal: what was to be run was written down before. */
  readonly suiteHash: string;
  /** The version of TARSy. */
  readonly version: string;
  /** ISO 8601. */
  readonly madeAt: string;
  /** `incomplete`: cells could not be run; they are tried again by the next run. */
  readonly state: "complete" | "incomplete" | "interrupted" | "budget";
  readonly variants: readonly {
    readonly name: string;
    readonly description: string;
    /** A script has answered: its results say nothing about a model. */
    readonly isScripted: boolean;
    /** The models that providers say have answered for each one that was asked, the judge's included; none where they say nothing. */
    readonly answered: readonly { readonly asked: string; readonly by: readonly string[] }[];
  }[];
  readonly cases: readonly string[];
  readonly repetitions: number;
  /** The judge's provider and model; null without one. */
  readonly judge: string | null;
  /** In USD; null if a cost is not known. */
  readonly spentUsd: number | null;
  readonly budgetUsd: number | null;
  readonly cells: readonly JudgedCell[];
  readonly summaries: readonly VariantSummary[];
  readonly comparisons: readonly VariantComparison[];
  /** Of each variant; empty if the suite has no worlds. */
  readonly worlds: readonly WorldMeasures[];
  /** Where the worlds of the suite come from. */
  readonly sources: readonly {
    readonly name: string;
    readonly repository: string;
    readonly commit: string;
    readonly importer: string;
    readonly worlds: number;
    /** SHA-256 of the sorted lines "id hash" of its worlds, in hexadecimal. */
    readonly hash: string;
  }[];
  /** Of all models, the judge's included, in USD for a million tokens; null without a price. */
  readonly prices: readonly {
    readonly model: string;
    readonly input: number | null;
    readonly output: number | null;
    /** `override`, `promotion:<id>` or `snapshot:<date>`. */
    readonly from: string | null;
  }[];
}
