import { isDone, type DoneCell, type JudgedCell } from "../results/judged-cell.ts";
import { mean } from "./mean.ts";

/** A variant beside the first one, over the cases that both have results of. */
export interface VariantComparison {
  readonly variant: string;
  readonly baseline: string;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Cases that only one of them has results of. */
  readonly incomparable: number;
  readonly cases: readonly {
    readonly case: string;
    readonly outcome: "win" | "loss" | "tie" | "incomparable";
    readonly passRate: number | null;
    readonly baselinePassRate: number | null;
    readonly score: number | null;
    readonly baselineScore: number | null;
  }[];
}

/** Scores that differ less are equal: a judge does not give the same number twice. */
const SAME_SCORE = 5;

/**
 * Compares each further variant with the first, case by case: by the share of repetitions that passed, and where that is
 * equal, by the mean score.
 */
export function compareVariants(
  variants: readonly string[],
  cases: readonly string[],
  cells: readonly JudgedCell[],
): VariantComparison[] {
  const [baseline, ...others] = variants;
  if (baseline === undefined) return [];
  const done = Map.groupBy(cells.filter(isDone), ({ variant, case: name }) =>
    JSON.stringify([variant, name]),
  );
  const of = (variant: string, name: string) => numbersOf(done.get(JSON.stringify([variant, name])) ?? []);
  return others.map((variant) => {
    const rows = cases.map((name) => {
      const [own, first] = [of(variant, name), of(baseline, name)];
      return {
        case: name,
        outcome: outcomeOf(own, first),
        passRate: own.passRate,
        baselinePassRate: first.passRate,
        score: own.score,
        baselineScore: first.score,
      };
    });
    const count = (wanted: (typeof rows)[number]["outcome"]) =>
      rows.filter(({ outcome }) => outcome === wanted).length;
    return {
      variant,
      baseline,
      wins: count("win"),
      losses: count("loss"),
      ties: count("tie"),
      incomparable: count("incomparable"),
      cases: rows,
    };
  });
}

interface Numbers {
  readonly passRate: number | null;
  readonly score: number | null;
}

function numbersOf(cells: readonly DoneCell[]): Numbers {
  const scores = cells.flatMap(({ facts }) => (facts.score === null ? [] : [facts.score]));
  return {
    passRate: mean(cells.map(({ passed }) => (passed ? 1 : 0)))?.mean ?? null,
    score: mean(scores)?.mean ?? null,
  };
}

function outcomeOf(own: Numbers, first: Numbers): "win" | "loss" | "tie" | "incomparable" {
  if (own.passRate === null || first.passRate === null) return "incomparable";
  if (own.passRate !== first.passRate) return own.passRate > first.passRate ? "win" : "loss";
  if (own.score === null || first.score === null) return "tie";
  const difference = own.score - first.score;
  if (Math.abs(difference) < SAME_SCORE) return "tie";
  return difference > 0 ? "win" : "loss";
}
