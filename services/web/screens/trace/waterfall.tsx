import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { countText, durationText, moneyText } from "../../parts/format.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { Axis } from "./axis.tsx";
import type { Bar } from "./bar-geometry.ts";
import { rowWindow, scrollTopFor } from "./row-window.ts";
import type { TimeSpan, TimeScale } from "./time-scale.ts";
import { rowTitle } from "./row-text.ts";
import type { TraceRow } from "./trace-rows.ts";
import "./waterfall.css";

interface WaterfallProps {
  readonly rows: readonly TraceRow[];
  readonly bars: readonly (readonly Bar[])[];
  readonly scale: TimeScale | undefined;
  /** The key of the chosen row. */
  readonly chosen: string | undefined;
  readonly onChoose: (index: number) => void;
  /** Takes the part of the time to be shown, in milliseconds since the start. */
  readonly onZoom: (zoom: TimeSpan) => void;
}

const ROW_HEIGHT = 30;
const PAGE = 10;

const percent = (share: number) => `${(share * 100).toFixed(4)}%`;
const optionId = (index: number) => `trace-row-${index}`;

/** The rows of a trace with their bars: a list box of which only the rows near the view exist. */
export function Waterfall({ rows, bars, scale, chosen, onChoose, onZoom }: WaterfallProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const view = useView(scroller);
  const { from, to } = rowWindow({ ...view, rowHeight: ROW_HEIGHT, count: rows.length });
  const index = rows.findIndex(({ key }) => key === chosen);
  useLayoutEffect(() => {
    const { current } = scroller;
    if (current === null || index === -1) return;
    const { scrollTop, clientHeight } = current;
    current.scrollTop = scrollTopFor(index, { scrollTop, height: clientHeight, rowHeight: ROW_HEIGHT });
  }, [index]);
  const move = (event: KeyboardEvent) => {
    const target = moveTarget(event.key, index, rows.length);
    if (target === undefined) return;
    event.preventDefault();
    onChoose(target);
  };
  return (
    <div class="waterfall">
      <Head scale={scale} onZoom={onZoom} />
      <div
        ref={scroller}
        class="rows"
        role="listbox"
        tabIndex={0}
        aria-label={RARE_TEXT.trace.rows}
        aria-activedescendant={index >= from && index < to ? optionId(index) : undefined}
        onKeyDown={move}
      >
        <div class="all" role="presentation" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
          {rows.slice(from, to).map((row, offset) => (
            <Row
              key={row.key}
              row={row}
              index={from + offset}
              count={rows.length}
              bars={bars[from + offset] ?? []}
              scale={scale}
              isChosen={row.key === chosen}
              onChoose={onChoose}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function moveTarget(key: string, index: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case "ArrowDown":
      return Math.min(last, index + 1);
    case "ArrowUp":
      return Math.max(0, index - 1);
    case "PageDown":
      return Math.min(last, index + PAGE);
    case "PageUp":
      return Math.max(0, index - PAGE);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}

/** What of the list is in the view. */
function useView(scroller: RefObject<HTMLDivElement | null>) {
  const [view, setView] = useState({ scrollTop: 0, height: 0 });
  useLayoutEffect(() => {
    const { current } = scroller;
    if (current === null) return undefined;
    const read = () => setView({ scrollTop: current.scrollTop, height: current.clientHeight });
    read();
    const observer = new ResizeObserver(read);
    observer.observe(current);
    current.addEventListener("scroll", read, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener("scroll", read);
    };
  }, [scroller]);
  return view;
}

function Head({ scale, onZoom }: Pick<WaterfallProps, "scale" | "onZoom">) {
  const { columns } = RARE_TEXT.trace;
  return (
    <div class="head small soft" aria-hidden="true">
      <span>{columns.name}</span>
      <Axis scale={scale} onZoom={onZoom} />
      <span class="figure">{columns.duration}</span>
      <span class="figure">{columns.tokens}</span>
      <span class="figure">{columns.cost}</span>
    </div>
  );
}

interface RowProps {
  readonly row: TraceRow;
  readonly index: number;
  readonly count: number;
  readonly bars: readonly Bar[];
  readonly scale: TimeScale | undefined;
  readonly isChosen: boolean;
  readonly onChoose: (index: number) => void;
}

function Row({ row, index, count, bars, scale, isChosen, onChoose }: RowProps) {
  const { figures, start, end } = row;
  return (
    <div
      id={optionId(index)}
      class={`trace-row of-${row.kind} depth-${row.depth} ${row.isFailed ? "failed" : ""}`}
      role="option"
      aria-selected={isChosen}
      aria-setsize={count}
      aria-posinset={index + 1}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)`, height: `${ROW_HEIGHT}px` }}
      onClick={() => onChoose(index)}
    >
      <span class="name" title={rowTitle(row)}>
        {row.isFailed && (
          <span class="fail-mark" aria-hidden="true">
            ✕
          </span>
        )}
        {rowTitle(row)}
        {row.isFailed && <span class="hidden-text">{` ${RARE_TEXT.trace.failed}`}</span>}
      </span>
      <span class="bars">
        {scale?.gaps.map(({ at, start: from, end: to }) => (
          <span
            key={from}
            class="gap"
            title={RARE_TEXT.trace.idle(durationText(to - from))}
            style={{ left: percent(at) }}
          />
        ))}
        {bars.map(({ kind, left, width }) => (
          <span
            key={kind}
            class={`bar ${kind}`}
            title={RARE_TEXT.trace.segments[kind]}
            style={{ left: percent(left), width: percent(width) }}
          />
        ))}
      </span>
      <span class="figure numbers">{row.segments.length === 0 ? "" : durationText(end - start)}</span>
      <span class="figure numbers">
        {figures.tokens === 0 ? "" : countText(figures.tokens)}
        {figures.tokens > 0 && <span class="hidden-text">{` ${RARE_TEXT.trace.segments.tokens}`}</span>}
      </span>
      <span class="figure numbers" title={unpricedText(row)}>
        {costText(row)}
        {figures.unpriced > 0 && <span class="hidden-text">{` ${unpricedText(row)}`}</span>}
      </span>
    </div>
  );
}

/** The cost of a row; `?` where there are tokens without a price. */
function costText({ figures: { usd, unpriced } }: TraceRow): string {
  if (unpriced === 0) return usd === 0 ? "" : moneyText(usd);
  return usd === 0 ? "?" : `≥ ${moneyText(usd)}`;
}

function unpricedText({ figures: { unpriced } }: TraceRow): string | undefined {
  return unpriced === 0 ? undefined : RARE_TEXT.trace.unpriced(unpriced);
}
