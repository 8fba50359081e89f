import { formatTable } from "../support/format-table.ts";
import { percentile } from "../support/percentile.ts";
import type { FanoutFigures } from "./measure-fanout.ts";

/** Interleaved rounds of two ways to do the same. */
export interface Comparison {
  readonly what: string;
  readonly ours: string;
  readonly other: string;
  readonly rounds: { readonly ours: FanoutFigures; readonly other: FanoutFigures }[];
}

const FIGURES = ["latency_p50_ms", "latency_p99_ms", "cpu_us_per_delivery"] as const;

/** A table of the medians over all rounds, and of the medians of the ratios per round with their range. */
export function renderComparison(comparisons: readonly Comparison[]): string {
  const rows = comparisons.flatMap(({ what, ours, other, rounds }) => {
    const medians = (way: "ours" | "other") =>
      FIGURES.map((name) => median(rounds.map((round) => round[way][name])));
    const ratios = FIGURES.map((name) => {
      const all = rounds.map((round) => round.ours[name] / round.other[name]);
      return `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)}-${Math.max(...all).toFixed(2)})`;
    });
    return [
      [what],
      [`  ${ours}`, ...medians("ours")],
      [`  ${other}`, ...medians("other")],
      ["  ratio", ...ratios],
    ];
  });
  const head = ["", "p50 ms", "p99 ms", "CPU us per delivery"];
  return `\n${formatTable([head, ...rows])}\n
Latency from sending to the watcher's socket; CPU time of the server and, for tokens, of NATS or Postgres. Ratios are
medians of interleaved rounds with their range: below 1 the first is better. Compare only within one run.\n`;
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
