import { useState } from "preact/hooks";
import { durationText } from "../../parts/format.ts";
import { RARE_TEXT } from "../rare-text.ts";
import type { TimeSpan, TimeScale } from "./time-scale.ts";

/** A shorter drag is a press, in pixels. */
const MIN_DRAG = 4;

interface AxisProps {
  readonly scale: TimeScale | undefined;
  /** Takes a part of the time, in milliseconds since the start. */
  readonly onZoom: (zoom: TimeSpan) => void;
}

/** The times above the bars; dragging over them chooses the part that is shown. */
export function Axis({ scale, onZoom }: AxisProps) {
  const [drag, setDrag] = useState<Drag>();
  const begin = (event: PointerEvent) => {
    const { currentTarget: element } = event;
    if (scale === undefined || event.button !== 0 || !(element instanceof HTMLElement)) return;
    element.setPointerCapture(event.pointerId);
    const at = shareIn(element, event);
    setDrag({ from: at, to: at });
  };
  const move = (event: PointerEvent) => {
    const { currentTarget: element } = event;
    if (drag === undefined || !(element instanceof HTMLElement)) return;
    setDrag({ ...drag, to: shareIn(element, event) });
  };
  const end = ({ currentTarget: element }: PointerEvent) => {
    setDrag(undefined);
    if (drag === undefined || scale === undefined || !(element instanceof HTMLElement)) return;
    const [left, right] = edges(drag);
    if ((right - left) * element.clientWidth < MIN_DRAG) return;
    const { timeAt, total } = scale;
    onZoom({ start: timeAt(left) - total.start, end: timeAt(right) - total.start });
  };
  return (
    <span
      class={`axis numbers ${scale === undefined ? "" : "brush"}`}
      title={scale === undefined ? undefined : RARE_TEXT.trace.zoomHint}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={() => setDrag(undefined)}
    >
      {scale?.ticks.map(({ at, ms }, index, { length }) => (
        <span
          key={at}
          class={`tick ${index === 0 ? "first" : ""} ${index === length - 1 ? "last" : ""}`}
          style={{ left: percent(at) }}
        >
          {durationText(ms)}
        </span>
      ))}
      {drag !== undefined && (
        <span class="drag" style={{ left: percent(edges(drag)[0]), right: percent(1 - edges(drag)[1]) }} />
      )}
    </span>
  );
}

interface Drag {
  readonly from: number;
  readonly to: number;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(4)}%`;
}

function edges({ from, to }: Drag): readonly [number, number] {
  return [Math.min(from, to), Math.max(from, to)];
}

/** Where a pointer is, as a share of the element's width. */
function shareIn(element: HTMLElement, { clientX }: PointerEvent): number {
  const { left, width } = element.getBoundingClientRect();
  return Math.min(1, Math.max(0, (clientX - left) / width));
}
