import type { RowTops } from "./row-tops.ts";

/** Neighbouring rows; `to` is behind the last one. */
interface RowRange {
  readonly from: number;
  readonly to: number;
}

export const NO_ROWS: RowRange = { from: 0, to: 0 };

/** How far from the view a row is rendered, in pixels, so that a turn of the wheel shows no empty space. */
const MARGIN = 200;
/** A range begins and ends at multiples of this, so that it does not change with every row that is scrolled by. */
const STEP = 4;

/** The rows near the view. `viewTop` is that of the view, from the top of the list. */
export function rowsNear(tops: RowTops, viewTop: number, viewHeight: number): RowRange {
  const end = tops.topOf(tops.count);
  if (viewTop - MARGIN > end || viewTop + viewHeight + MARGIN < 0) return NO_ROWS;
  const from = Math.floor(tops.rowAt(viewTop - MARGIN) / STEP) * STEP;
  const to = Math.ceil((tops.rowAt(viewTop + viewHeight + MARGIN) + 1) / STEP) * STEP;
  return { from, to: Math.min(to, tops.count) };
}

/** The parts of a list that exist, in order: the rows near the view, and single ones that must exist wherever they are. */
export function renderedRows(near: RowRange, single: readonly number[], count: number): readonly RowRange[] {
  const inside = { from: Math.min(near.from, count), to: Math.min(near.to, count) };
  const others = [...new Set(single)]
    .filter((index) => index >= 0 && index < count && (index < inside.from || index >= inside.to))
    .map((index) => ({ from: index, to: index + 1 }));
  return [...others, inside].filter(({ from, to }) => to > from).toSorted((a, b) => a.from - b.from);
}
