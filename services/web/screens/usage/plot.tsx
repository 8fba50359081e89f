import { dayText } from "#shared/client/time-text.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { largestSum, scaleLines, stackedColumns, type Series } from "./plot-series.ts";
import "./plot.css";

interface FrameProps {
  readonly title: string;
  readonly days: readonly string[];
  /** The values of the scale's lines, from 0. */
  readonly lines: readonly number[];
  readonly format: (value: number) => string;
  readonly children: preact.ComponentChildren;
}

/** How far a column is from the next one, as a share of the distance of two days. */
const COLUMN_WIDTH = 0.84;

/**
 * A plot over days: one unit of its width is a day, and its height is 1. Its texts are outside of the picture, which is stretched.
 * What it shows is in a table beside it, too.
 */
export function PlotFrame({ title, days, lines, format, children }: FrameProps) {
  const max = lines.at(-1) ?? 1;
  const [first = "", last = ""] = [days[0], days.at(-1)].map((day) => dayText(day ?? ""));
  return (
    <div class="plot">
      <div class="scale small soft numbers" aria-hidden="true">
        {lines.map((value) => (
          <span key={value} class="mark" style={{ bottom: `${(value / max) * 100}%` }}>
            {format(value)}
          </span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${days.length} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={RARE_TEXT.usage.plotName(title, first, last)}
      >
        {lines.map((value) => (
          <line key={value} class="grid" x1={0} x2={days.length} y1={1 - value / max} y2={1 - value / max} />
        ))}
        {children}
      </svg>
      <div class="days small soft numbers" aria-hidden="true">
        <span>{first}</span>
        {days.length > 2 && <span>{dayText(days[Math.floor(days.length / 2)] ?? "")}</span>}
        {days.length > 1 && <span>{last}</span>}
      </div>
    </div>
  );
}

interface ColumnsProps {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly nameOf: (name: string | null) => string;
  /** The colours: of groups, or of outcomes. */
  readonly palette: "group" | "outcome";
}

/** A stacked column for each day. */
export function ColumnPlot({ title, days, series, format, nameOf, palette }: ColumnsProps) {
  const lines = scaleLines(largestSum(series, days.length), palette === "outcome");
  const columns = stackedColumns(series, days.length, lines.at(-1) ?? 1);
  const left = (1 - COLUMN_WIDTH) / 2;
  return (
    <PlotFrame title={title} days={days} lines={lines} format={format}>
      {columns.map((pieces, day) => (
        <g key={days[day]}>
          {pieces.map(({ colour, from, to }) => (
            <rect
              key={colour}
              class={`${palette}-${colour}`}
              x={day + left}
              width={COLUMN_WIDTH}
              y={1 - to}
              height={to - from}
            />
          ))}
          <rect class="whole" x={day} width={1} y={0} height={1}>
            <title>{columnText(dayText(days[day] ?? ""), day, series, format, nameOf)}</title>
          </rect>
        </g>
      ))}
    </PlotFrame>
  );
}

function columnText(
  name: string,
  day: number,
  series: readonly Series[],
  format: (value: number) => string,
  nameOf: (name: string | null) => string,
): string {
  const parts = series
    .filter(({ values }) => (values[day] ?? 0) > 0)
    .map((one) => `${nameOf(one.name)}: ${format(one.values[day] ?? 0)}`);
  return [name, ...parts].join("\n");
}
