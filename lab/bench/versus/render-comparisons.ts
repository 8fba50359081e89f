import { formatTable } from "../support/format-table.ts";
import type { ArmComparison, LimitName } from "./comparison.ts";
import { pairedRatios, type Spread } from "./paired-ratios.ts";

const LIMIT_NAMES: Readonly<Record<LimitName, string>> = {
  commit_ms: "bare commit",
  commit_cpu_ms: "CPU of a bare commit",
  publish_ms: "bare NATS publish",
  publish_cpu_ms: "CPU of a bare publish",
  write_ms: "bare socket write",
  write_cpu_ms: "CPU of a bare write",
};
const READABLE_UNITS: readonly [RegExp, string][] = [
  [/_/gu, " "],
  [/\bcpu\b/gu, "CPU"],
  [/\bper s\b/u, "per second"],
];

/** One table of all comparisons: medians, and the ratios within the rounds with their range. */
export function renderComparisons(comparisons: readonly ArmComparison[]): string {
  const rows = comparisons.flatMap((comparison) => {
    const limits = new Map(comparison.figures.map(({ name, limit }) => [name, limit]));
    const [first = "", ...others] = comparison.arms;
    return others.flatMap((other) => [
      [`${comparison.name}: ${first} / ${other}`],
      ...pairedRatios(comparison)
        .filter((row) => row.other === other)
        .map((row) => {
          const limit = limits.get(row.figure);
          return [
            `  ${readable(row.figure)}`,
            row.ours_median,
            row.other_median,
            range(row.ratio),
            row.ours_to_limit === null ? "" : range(row.ours_to_limit),
            row.other_to_limit === null ? "" : digits(row.other_to_limit.median),
            limit === undefined ? "" : LIMIT_NAMES[limit],
          ];
        }),
    ]);
  });
  const head = [
    "",
    "first",
    "second",
    "first/second (range)",
    "first/limit (range)",
    "second/limit",
    "limit",
  ];
  const notes = comparisons.map(({ name, what, rounds }) => `${name}: ${rounds.length} rounds. ${what}`);
  return `\n${formatTable([head, ...rows])}\n
${notes.join("\n")}\n
The two columns of figures are medians and depend on the machine and its load. Ratios are medians of the ratios within the
rounds, with their range: below 1 the first is better, except for figures per second. A range on one side of 1 is chance with
a probability of 2^(1-rounds) for each figure. The limit is compared with the time of one unit.\n`;
}

function readable(figure: string): string {
  return READABLE_UNITS.reduce((text, [pattern, by]) => text.replace(pattern, by), figure);
}

/** A cost that is a difference of two runs can come out below zero: then it says nothing. */
function range({ median, min, max }: Spread): string {
  if (min < 0) return "noise";
  return `${digits(median)} (${digits(min)}-${digits(max)})`;
}

function digits(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
