import type { ApiResponse } from "#shared/client/api-types.ts";

type DailyUsage = ApiResponse<"GET /api/v1/usage/days">;
type Day = DailyUsage["days"][number];

const OUTCOMES = ["completed", "failed", "timed_out", "cancelled", "unfinished"] as const;

/** One colour of a plot over all days. */
export interface Series {
  /** Null for everything that has no series of its own. */
  readonly name: string | null;
  /** Its place among the colours. */
  readonly colour: number;
  /** One for each day. */
  readonly values: readonly number[];
  readonly total: number;
}

type Measure = "cost" | "tokens" | "sessions";

/** What each of the largest groups, and all others together, have on each of the days. Groups without anything are left out. */
export function groupSeries(
  { days, groups }: DailyUsage,
  all: readonly string[],
  measure: Measure,
): readonly Series[] {
  const byDay = new Map(days.map((day) => [day.day, day]));
  const names: readonly (string | null)[] = [...groups, null];
  return names
    .map((name, colour) =>
      series(name, colour, all, (day) => {
        const group = byDay.get(day)?.groups.find((other) => other.name === name);
        if (measure === "cost") return group?.estimated_cost_usd ?? 0;
        return (measure === "tokens" ? group?.total_tokens : group?.session_count) ?? 0;
      }),
    )
    .filter(({ total }) => total > 0);
}

/** How the sessions of each day ended. */
export function outcomeSeries({ days }: DailyUsage, all: readonly string[]): readonly Series[] {
  const byDay = new Map(days.map((day) => [day.day, day]));
  return OUTCOMES.map((outcome, colour) =>
    series(outcome, colour, all, (day) => byDay.get(day)?.outcomes[outcome] ?? 0),
  );
}

function series(
  name: string | null,
  colour: number,
  all: readonly string[],
  valueOf: (day: string) => number,
): Series {
  const values = all.map(valueOf);
  return { name, colour, values, total: values.reduce((sum, value) => sum + value, 0) };
}

/** The durations of each day; undefined where no session has ended. */
export function durationsOf({ days }: DailyUsage, all: readonly string[]): readonly Day["duration_ms"][] {
  const byDay = new Map(days.map((day) => [day.day, day.duration_ms]));
  return all.map((day) => byDay.get(day) ?? null);
}

/** A piece of a stacked column, from the bottom at 0 to the top at 1. */
interface StackedPiece {
  readonly colour: number;
  readonly from: number;
  readonly to: number;
}

/** The columns of a plot whose scale ends at `max`. */
export function stackedColumns(
  all: readonly Series[],
  days: number,
  max: number,
): readonly (readonly StackedPiece[])[] {
  return Array.from({ length: days }, (_, day) => {
    let from = 0;
    return all.flatMap(({ colour, values }) => {
      const value = values[day] ?? 0;
      if (value === 0 || max === 0) return [];
      const piece = { colour, from, to: from + value / max };
      from = piece.to;
      return [piece];
    });
  });
}

/** The largest sum of a day. */
export function largestSum(all: readonly Series[], days: number): number {
  let largest = 0;
  for (let day = 0; day < days; day += 1) {
    largest = Math.max(
      largest,
      all.reduce((sum, { values }) => sum + (values[day] ?? 0), 0),
    );
  }
  return largest;
}

const STEPS = [1, 2, 2.5, 5, 10];

/** Where lines of a scale stand: round values, or whole ones, from 0 to the first one that is not below `largest`, at most five. */
export function scaleLines(largest: number, areWhole = false): readonly number[] {
  if (largest <= 0) return [0, 1];
  const unit = 10 ** Math.floor(Math.log10(largest / 4));
  const isFit = (size: number) =>
    size * unit * 4 >= largest * (1 - 1e-9) && (!areWhole || Number.isInteger(size * unit));
  const step = (STEPS.find(isFit) ?? 10) * unit;
  const count = Math.ceil(largest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Runs of neighbouring days that have a value, as points for a line each. */
export function lineRuns(
  values: readonly (number | undefined)[],
): readonly (readonly { day: number; value: number }[])[] {
  const runs: { day: number; value: number }[][] = [];
  let run: { day: number; value: number }[] = [];
  for (const [day, value] of values.entries()) {
    if (value === undefined) {
      if (run.length > 0) runs.push(run);
      run = [];
    } else run.push({ day, value });
  }
  return run.length > 0 ? [...runs, run] : runs;
}
