import { useKeys } from "../../keys.ts";
import { RARE_TEXT } from "../rare-text.ts";
import type { TimeSpan } from "./time-scale.ts";
import type { TraceRow } from "./trace-rows.ts";
import { movedZoom, scaledZoom, zoomText } from "./zoom.ts";

interface ZoomOptions {
  readonly rows: readonly TraceRow[];
  readonly chosen: TraceRow | undefined;
  readonly zoom: TimeSpan | undefined;
  /** Puts the part of the time that is shown into the address. */
  readonly set: (text: string | undefined) => void;
}

/** How far a press moves the part of the time that is shown, and how much it enlarges it. */
const STEP = 0.25;
const FACTOR = 2;
/** What is shown beside a row, so that its ends are seen. */
const MARGIN = 1.1;

/** The part of the time that the waterfall shows, with the keys that change it. */
export function useZoom({ rows, chosen, zoom, set }: ZoomOptions) {
  const first = rows.reduce((least, { start }) => Math.min(least, start), Infinity);
  const last = rows.reduce((most, { end }) => Math.max(most, end), -Infinity);
  const total = rows.length === 0 ? 0 : last - first;
  const shown = zoom ?? { start: 0, end: total };
  const setZoom = (next: TimeSpan) => set(zoomText(next, total));
  const toChosen = () => {
    if (chosen === undefined) return;
    setZoom(scaledZoom({ start: chosen.start - first, end: chosen.end - first }, MARGIN));
  };
  const { keys } = RARE_TEXT.trace;
  useKeys({
    z: [keys.zoomRow, () => (zoom === undefined ? toChosen() : set(undefined))],
    "+": [keys.zoomIn, () => setZoom(scaledZoom(shown, 1 / FACTOR))],
    "-": [keys.zoomOut, () => setZoom(scaledZoom(shown, FACTOR))],
    ArrowLeft: [keys.earlier, () => setZoom(movedZoom(shown, -STEP, total))],
    ArrowRight: [keys.later, () => setZoom(movedZoom(shown, STEP, total))],
  });
  return { shown, total, setZoom, showAll: () => set(undefined) };
}
