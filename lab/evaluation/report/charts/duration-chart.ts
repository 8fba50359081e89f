import { durationText } from "../../../../scripts/tarsy/terminal/terminal-style.ts";
import { quantile } from "../../statistics/quantile.ts";
import { markup, type Markup } from "#shared/markup.ts";
import { axisScale } from "./axis-scale.ts";
import { colourOf, mark } from "./mark.ts";
import { shortName } from "./short-name.ts";

const WIDTH = 360;
const ROW = 46;
const SIDE = 8;
const AXIS = 22;
/** More points are not seen apart. */
const MAX_DOTS = 300;

/** Each variant's durations as points, with the box from the first to the third quartile and a line at the median. */
export function durationChart(
  variants: readonly { readonly name: string; readonly durationsMs: readonly number[] }[],
): Markup {
  const height = variants.length * ROW + AXIS;
  const { max, ticks } = axisScale(
    Math.max(0, ...variants.flatMap(({ durationsMs }) => durationsMs)) / 1_000,
  );
  const x = (ms: number) => SIDE + (ms / 1_000 / max) * (WIDTH - 2 * SIDE);
  const label = variants
    .map(({ name, durationsMs }) => `${name} median ${durationText(quantile(durationsMs, 0.5) ?? 0)}`)
    .join(", ");
  return markup`<figure>
    <figcaption>Durations: points are cells, the box is the middle half</figcaption>
    <svg
      viewBox="0 0 ${WIDTH} ${height}"
      role="img"
      aria-label="Durations: ${label}. p50 and p95 are in the summary table."
    >
      ${ticks.map(
        (tick, index) =>
          markup`<line
              class="axis"
              x1="${x(tick * 1_000).toFixed(1)}"
              x2="${x(tick * 1_000).toFixed(1)}"
              y1="0"
              y2="${height - AXIS}"
            />
            <text
              class="quiet"
              x="${x(tick * 1_000).toFixed(1)}"
              y="${height - 6}"
              text-anchor="${anchorOf(index, ticks.length)}"
              >${Number(tick.toPrecision(3))} s</text
            >`,
      )}
      ${variants.map(({ name, durationsMs }, index) => row(name, durationsMs, index, x))}
    </svg>
  </figure>`;
}

function anchorOf(index: number, count: number): string {
  if (index === 0) return "start";
  return index === count - 1 ? "end" : "middle";
}

function row(name: string, durations: readonly number[], index: number, x: (ms: number) => number): Markup {
  const top = index * ROW;
  const middle = top + 30;
  const [low, median, high] = [0.25, 0.5, 0.75].map((at) => x(quantile(durations, at) ?? 0));
  const dots = durations
    .slice(0, MAX_DOTS)
    .map((ms, dot) => mark(index, x(ms), middle + ((dot * 5) % 11) - 5, 2.5, "dot"));
  return markup`<text x="${SIDE}" y="${top + 14}">${shortName(name, 50)}</text> ${dots}
    ${
      durations.length === 0 || low === undefined || median === undefined || high === undefined
        ? null
        : markup`<rect
              class="whisker"
              x="${low.toFixed(1)}"
              y="${middle - 9}"
              width="${(high - low).toFixed(1)}"
              height="18"
            />
            <line
              class="${colourOf(index)} whisker"
              x1="${median.toFixed(1)}"
              x2="${median.toFixed(1)}"
              y1="${middle - 9}"
              y2="${middle + 9}"
            />`
    }`;
}
