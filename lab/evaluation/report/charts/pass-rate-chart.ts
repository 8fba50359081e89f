import type { VariantSummary } from "../../statistics/summarize-variants.ts";
import { markup, type Markup } from "#shared/markup.ts";
import { percentText } from "../number-texts.ts";
import { colourOf } from "./mark.ts";
import { shortName } from "./short-name.ts";

const WIDTH = 360;
const ROW = 40;
const LEFT = 4;
const RIGHT = 52;
const AXIS = 22;

/** A bar for each variant's share of passed cells, with its 95 % interval. */
export function passRateChart(summaries: readonly VariantSummary[]): Markup {
  const height = summaries.length * ROW + AXIS;
  const span = WIDTH - LEFT - RIGHT;
  const x = (rate: number) => (LEFT + rate * span).toFixed(1);
  const label = summaries.map(({ variant, passRate }) => `${variant} ${percentText(passRate)}`).join(", ");
  return markup`<figure>
    <figcaption>Passed cells, with the 95 % interval (Wilson)</figcaption>
    <svg
      viewBox="0 0 ${WIDTH} ${height}"
      role="img"
      aria-label="Pass rates: ${label}. The numbers are in the summary table."
    >
      ${[0, 0.25, 0.5, 0.75, 1].map(
        (tick) =>
          markup`<line class="axis" x1="${x(tick)}" x2="${x(tick)}" y1="0" y2="${height - AXIS}" />
            <text
              class="quiet"
              x="${x(tick)}"
              y="${height - 6}"
              text-anchor="${tick === 0 ? "start" : "middle"}"
              >${percentText(tick)}</text
            >`,
      )}
      ${summaries.map((summary, index) => bar(summary, index, x, span))}
    </svg>
  </figure>`;
}

function bar(
  { variant, passRate, interval, done }: VariantSummary,
  index: number,
  x: (rate: number) => string,
  span: number,
): Markup {
  const top = index * ROW;
  const middle = top + 28;
  return markup`<text x="${LEFT}" y="${top + 14}">${shortName(variant, 50)}</text>
    <rect class="bar-back" x="${LEFT}" y="${top + 20}" width="${span}" height="14" />
    <rect
      class="${colourOf(index)}"
      x="${LEFT}"
      y="${top + 20}"
      width="${((passRate ?? 0) * span).toFixed(1)}"
      height="14"
    />
    ${
      done === 0
        ? null
        : markup`<path
            class="whisker"
            d="M${x(interval.low)} ${middle - 4}v8m0 -4H${x(interval.high)}m0 -4v8"
          />`
    }
    <text x="${WIDTH - 2}" y="${top + 32}" text-anchor="end">${percentText(passRate)}</text>`;
}
