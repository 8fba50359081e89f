/** A length of time, in milliseconds since 1970. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

/** A time in which nothing ran, and where it stands on the axis. */
interface IdleGap extends TimeSpan {
  /** Its middle, from 0 to 1. */
  readonly at: number;
}

/** Where times stand on an axis from 0 to 1. */
export interface TimeScale {
  readonly position: (time: number) => number;
  /** The time that stands at a position. */
  readonly timeAt: (at: number) => number;
  /** All that there is. */
  readonly total: TimeSpan;
  /** The collapsed times, in order; none unless idle time is collapsed. */
  readonly gaps: readonly IdleGap[];
  /** Equally distant positions with the time since the start that they stand for. */
  readonly ticks: readonly { readonly at: number; readonly ms: number }[];
}

interface ScaleOptions {
  /** Whether times in which nothing runs become short. */
  readonly collapsesIdle: boolean;
}

/** A shorter idle time is left as it is. */
const MIN_IDLE_MS = 2_000;
/** An idle time is collapsed if it is longer than this part of the busy time. */
const IDLE_SHARE = 0.05;
/** What a collapsed time takes of the axis, and all of them together at most. */
const GAP_WIDTH = 0.025;
const GAPS_WIDTH = 0.4;
const TICKS = 5;

/** A piece of the axis on which the position grows evenly with the time. */
interface AxisPiece extends TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** The axis over all spans. It is made once for a trace: a position is found by bisection. */
export function timeScale(spans: readonly TimeSpan[], { collapsesIdle }: ScaleOptions): TimeScale {
  const busy = mergeSpans(spans);
  const [first] = busy;
  const last = busy.at(-1);
  if (first === undefined || last === undefined) {
    return { position: () => 0, timeAt: () => 0, total: { start: 0, end: 0 }, gaps: [], ticks: [] };
  }
  const total = { start: first.start, end: last.end };
  const idle = collapsesIdle ? idleSpans(busy) : [];
  const pieces = layOut(total, idle);
  const gaps = pieces
    .filter((piece) => idle.some(({ start }) => start === piece.start))
    .map(({ start, end, from, to }) => ({ start, end, at: (from + to) / 2 }));
  return {
    position: (time) => positionIn(pieces, time),
    timeAt: (at) => timeAt(pieces, at),
    total,
    gaps,
    ticks: ticksOf((at) => timeAt(pieces, at) - total.start),
  };
}

/** The part of an axis in which a time lies, over the whole width; what lies outside stands at its ends. */
export function zoomScale(scale: TimeScale, { start, end }: TimeSpan): TimeScale {
  const from = scale.position(start);
  const width = scale.position(end) - from;
  if (width <= 0) return scale;
  const timeOf = (at: number) => scale.timeAt(from + at * width);
  return {
    position: (time) => Math.min(1, Math.max(0, (scale.position(time) - from) / width)),
    timeAt: timeOf,
    total: scale.total,
    gaps: scale.gaps
      .map((gap) => ({ ...gap, at: (gap.at - from) / width }))
      .filter(({ at }) => at >= 0 && at <= 1),
    ticks: ticksOf((at) => timeOf(at) - scale.total.start),
  };
}

function ticksOf(msAt: (at: number) => number): TimeScale["ticks"] {
  return Array.from({ length: TICKS }, (_, index) => {
    const at = index / (TICKS - 1);
    return { at, ms: msAt(at) };
  });
}

/** The spans as spans that do not touch each other, in order. */
function mergeSpans(spans: readonly TimeSpan[]): readonly TimeSpan[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || start > last.end) merged.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return merged;
}

function idleSpans(busy: readonly TimeSpan[]): readonly TimeSpan[] {
  const busyMs = busy.reduce((sum, { start, end }) => sum + end - start, 0);
  const least = Math.max(MIN_IDLE_MS, busyMs * IDLE_SHARE);
  return busy.flatMap(({ end }, index) => {
    const next = busy[index + 1];
    return next !== undefined && next.start - end > least ? [{ start: end, end: next.start }] : [];
  });
}

function layOut(total: TimeSpan, idle: readonly TimeSpan[]): readonly AxisPiece[] {
  const idleMs = idle.reduce((sum, { start, end }) => sum + end - start, 0);
  const shownMs = total.end - total.start - idleMs;
  const gapWidth = idle.length === 0 ? 0 : Math.min(GAP_WIDTH, GAPS_WIDTH / idle.length);
  const perMs = shownMs === 0 ? 0 : (1 - gapWidth * idle.length) / shownMs;
  const pieces: AxisPiece[] = [];
  let from = 0;
  let { start } = total;
  const add = (end: number, width: number) => {
    pieces.push({ start, end, from, to: from + width });
    from += width;
    start = end;
  };
  for (const gap of idle) {
    add(gap.start, (gap.start - start) * perMs);
    add(gap.end, gapWidth);
  }
  add(total.end, (total.end - start) * perMs);
  return pieces;
}

function positionIn(pieces: readonly AxisPiece[], time: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((pieces[middle]?.end ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  const piece = pieces[low];
  if (piece === undefined || piece.end === piece.start) return piece?.from ?? 0;
  const share = (time - piece.start) / (piece.end - piece.start);
  return piece.from + Math.min(1, Math.max(0, share)) * (piece.to - piece.from);
}

function timeAt(pieces: readonly AxisPiece[], at: number): number {
  const piece = pieces.find(({ to }) => to >= at) ?? pieces.at(-1);
  if (piece === undefined) return 0;
  const share = piece.to === piece.from ? 1 : (at - piece.from) / (piece.to - piece.from);
  return piece.start + Math.min(1, share) * (piece.end - piece.start);
}
