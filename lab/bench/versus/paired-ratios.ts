import type { ArmComparison, FigureSpec, Round } from "./comparison.ts";

/** The median of some values with their range. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** One figure of the first arm against one other arm. */
interface PairedRatio {
  readonly figure: string;
  readonly ours: string;
  readonly other: string;
  /** Medians of the figure itself. They depend on the machine: only the ratios are meaningful. */
  readonly ours_median: number;
  readonly other_median: number;
  /** The first arm's figure over the other's within a round. */
  readonly ratio: Spread;
  /** A unit of the figure over the physical limit of the same round; null if it has none. */
  readonly ours_to_limit: Spread | null;
  readonly other_to_limit: Spread | null;
}

/** Every figure of the first arm against every other arm, from the ratios within each round. */
export function pairedRatios({ arms, figures, rounds }: ArmComparison): PairedRatio[] {
  const [ours = "", ...others] = arms;
  return others.flatMap((other) =>
    figures.flatMap((spec) => {
      const own = valuesOf(rounds, ours, spec.name);
      const theirs = valuesOf(rounds, other, spec.name);
      if (own.length !== rounds.length || theirs.length !== rounds.length) return [];
      return {
        figure: spec.name,
        ours,
        other,
        ours_median: median(own),
        other_median: median(theirs),
        ratio: spread(own.map((value, round) => value / (theirs[round] ?? Number.NaN))),
        ours_to_limit: toLimit(spec, own, rounds),
        other_to_limit: toLimit(spec, theirs, rounds),
      };
    }),
  );
}

/** The milliseconds of one unit of a figure, by the unit at the end of its name. */
function unitMs(name: string, value: number): number {
  if (name.endsWith("_per_s")) return 1_000 / value;
  return /_us(?:_|$)/u.test(name) ? value / 1_000 : value;
}

function toLimit(
  { name, limit }: FigureSpec,
  values: readonly number[],
  rounds: readonly Round[],
): Spread | null {
  if (limit === undefined) return null;
  return spread(
    values.map((value, round) => unitMs(name, value) / (rounds[round]?.limits[limit] ?? Number.NaN)),
  );
}

/** Rounds without the figure are left out. */
function valuesOf(rounds: readonly Round[], arm: string, figure: string): number[] {
  return rounds.flatMap((round) => round.figures[arm]?.[figure] ?? []);
}

function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Of an even number of values it is the geometric mean of the middle two: a ratio and its inverse have inverse medians. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (lower === undefined || upper === undefined) return Number.NaN;
  // A cost that is a difference can be below zero.
  return lower > 0 ? Math.sqrt(lower * upper) : (lower + upper) / 2;
}
