import { timeScale, zoomScale, type TimeSpan, type TimeScale } from "./time-scale.ts";
import type { SegmentKind, TraceRow } from "./trace-rows.ts";

export const BAR_MEASURES = ["time", "tokens", "cost"] as const;
/** What the bars show. */
export type BarMeasure = (typeof BAR_MEASURES)[number];

/** A part of a bar; `left` and `width` are shares of the axis. */
export interface Bar {
  readonly kind: SegmentKind | "tokens" | "cost";
  readonly left: number;
  readonly width: number;
}

interface Geometry {
  /** The bars of each row. */
  readonly bars: readonly (readonly Bar[])[];
  /** Undefined unless the bars show time. */
  readonly scale: TimeScale | undefined;
}

interface GeometryOptions {
  readonly measure: BarMeasure;
  readonly collapsesIdle: boolean;
  /** The part of the time that is shown, in milliseconds since the start; absent for all of it. */
  readonly zoom?: TimeSpan | undefined;
}

/** The bars of all rows, computed at once so that scrolling computes nothing. */
export function barGeometry(
  rows: readonly TraceRow[],
  { measure, collapsesIdle, zoom }: GeometryOptions,
): Geometry {
  if (measure !== "time") return { bars: shareBars(rows, measure), scale: undefined };
  const isCall = ({ kind }: TraceRow) => kind === "llm" || kind === "mcp";
  // An agent that waits for a person is not busy: only calls are. Both ends of the session are shown nevertheless.
  const starts = rows.map(({ start }) => start);
  const ends = rows.map(({ end }) => end);
  const edges = [Math.min(...starts), Math.max(...ends)].map((time) => ({ start: time, end: time }));
  const whole = timeScale([...rows.filter(isCall), ...(rows.length === 0 ? [] : edges)], { collapsesIdle });
  const shown = zoom === undefined ? whole.total : since(whole.total.start, zoom);
  const scale = zoom === undefined ? whole : zoomScale(whole, shown);
  const bars = rows.map(({ segments }) =>
    segments
      .filter(({ start, end }) => end >= shown.start && start <= shown.end)
      .map(({ kind, start, end }) => {
        const left = scale.position(start);
        return { kind, left, width: scale.position(end) - left };
      }),
  );
  return { bars, scale };
}

function since(origin: number, { start, end }: TimeSpan): TimeSpan {
  return { start: origin + start, end: origin + end };
}

/** Bars from the left edge; those of calls, agents and stages are each as wide as their share of the largest of their kind. */
function shareBars(rows: readonly TraceRow[], measure: "tokens" | "cost"): readonly (readonly Bar[])[] {
  const amount = ({ figures }: TraceRow) => (measure === "tokens" ? figures.tokens : figures.usd);
  const largest = new Map<number, number>();
  for (const row of rows) {
    const level = levelOf(row);
    largest.set(level, Math.max(largest.get(level) ?? 0, amount(row)));
  }
  return rows.map((row) => {
    const width = amount(row) / (largest.get(levelOf(row)) || 1);
    return width === 0 ? [] : [{ kind: measure, left: 0, width }];
  });
}

/** Calls of no agent compare with other calls, although they stand one level higher. */
function levelOf({ kind, depth }: TraceRow): number {
  return kind === "llm" || kind === "mcp" ? 2 : depth;
}
