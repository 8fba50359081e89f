import { dayText } from "#shared/client/time-text.ts";
import { durationText } from "../../parts/format.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { lineRuns, scaleLines } from "./plot-series.ts";
import { PlotFrame } from "./plot.tsx";

interface Durations {
  readonly median: number;
  readonly p95: number;
}

interface DurationPlotProps {
  readonly title: string;
  readonly days: readonly string[];
  /** Null for days on which no session ended. */
  readonly durations: readonly (Durations | null)[];
}

const LINES = ["p95", "median"] as const;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The median and the 95th percentile of each day as two lines. */
export function DurationPlot({ title, days, durations }: DurationPlotProps) {
  const largest = Math.max(0, ...durations.map((duration) => duration?.p95 ?? 0));
  // Round values of the unit that a reader would use.
  const unit = [HOUR, MINUTE, SECOND].find((size) => largest >= size * 2) ?? 1;
  const lines = scaleLines(largest / unit).map((value) => value * unit);
  const max = lines.at(-1) ?? 1;
  const y = (value: number) => 1 - value / max;
  return (
    <PlotFrame title={title} days={days} lines={lines} format={durationText}>
      {LINES.map((name) =>
        lineRuns(durations.map((duration) => duration?.[name])).map((run) => (
          <g key={`${name}${run[0]?.day}`}>
            <polyline
              class={name}
              points={run.map(({ day, value }) => `${day + 0.5},${y(value)}`).join(" ")}
            />
            {run.map(({ day, value }) => (
              <line
                key={day}
                class={`dot ${name}`}
                x1={day + 0.5}
                x2={day + 0.5}
                y1={y(value)}
                y2={y(value)}
              />
            ))}
          </g>
        )),
      )}
      {durations.map(
        (duration, day) =>
          duration !== null && (
            <rect key={days[day]} class="whole" x={day} width={1} y={0} height={1}>
              <title>{durationsText(days[day] ?? "", duration)}</title>
            </rect>
          ),
      )}
    </PlotFrame>
  );
}

function durationsText(day: string, { median, p95 }: Durations): string {
  const names = RARE_TEXT.usage.durations;
  return `${dayText(day)}\n${names.median}: ${durationText(median)}\n${names.p95}: ${durationText(p95)}`;
}
