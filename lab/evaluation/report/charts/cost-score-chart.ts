import { MAX_SCORE } from "#shared/contracts/scoring.ts";
import { durationText } from "../../../../scripts/tarsy/terminal/terminal-style.ts";
import type { DoneCell } from "../../results/judged-cell.ts";
import { mean } from "../../statistics/mean.ts";
import { markup, type Markup } from "#shared/markup.ts";
import { usdShown } from "../usd-shown.ts";
import { axisScale } from "./axis-scale.ts";
import { mark } from "./mark.ts";

const WIDTH = 360;
const HEIGHT = 260;
const LEFT = 34;
const RIGHT = 12;
const TOP = 8;
const BOTTOM = 40;
const MAX_DOTS = 1_000;

interface Point {
  readonly variant: string;
  readonly x: number;
  readonly y: number;
}

/**
 * What quality costs: a point for each scored cell, a large one for each variant's mean. Without known costs the duration takes their
 * place. Null without scores.
 */
export function costScoreChart(variants: readonly string[], cells: readonly DoneCell[]): Markup | null {
  const scored = cells.flatMap(({ variant, facts }) =>
    facts.score === null ? [] : [{ variant, facts, y: facts.score }],
  );
  if (scored.length === 0) return null;
  const isByCost =
    scored.every(({ facts }) => facts.cost_usd !== null) && scored.some(({ facts }) => facts.cost_usd !== 0);
  const points = scored.map(({ variant, facts, y }): Point => ({
    variant,
    y,
    x: isByCost ? (facts.cost_usd ?? 0) : facts.duration_ms / 1_000,
  }));
  const { max, ticks } = axisScale(Math.max(...points.map(({ x }) => x)));
  const x = (value: number) => LEFT + (value / max) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - value / MAX_SCORE) * (HEIGHT - TOP - BOTTOM);
  const shown = (value: number) => (isByCost ? usdShown(value) : durationText(value * 1_000));
  const means = variants.map((name) => {
    const own = points.filter(({ variant }) => variant === name);
    return { name, x: mean(own.map((point) => point.x))?.mean, y: mean(own.map((point) => point.y))?.mean };
  });
  const what = isByCost ? "Cost" : "Duration";
  return markup`<figure>
    <figcaption>${what} and score: points are cells, large ones the means</figcaption>
    <svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      role="img"
      aria-label="${what} and score of each cell. The means are in the table below."
    >
      ${[0, 25, 50, 75, MAX_SCORE].map(
        (tick) =>
          markup`<line
              class="axis"
              x1="${LEFT}"
              x2="${WIDTH - RIGHT}"
              y1="${y(tick).toFixed(1)}"
              y2="${y(tick).toFixed(1)}"
            />
            <text class="quiet" x="${LEFT - 6}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end"
              >${tick}</text
            >`,
      )}
      ${ticks.map(
        (tick, index) =>
          markup`<text
            class="quiet"
            x="${x(tick).toFixed(1)}"
            y="${HEIGHT - BOTTOM + 16}"
            text-anchor="${index === ticks.length - 1 ? "end" : "middle"}"
            >${shown(tick)}</text
          >`,
      )}
      <text class="quiet" x="${WIDTH / 2}" y="${HEIGHT - 6}" text-anchor="middle">
        ${isByCost ? "cost per cell" : "duration per cell"}
      </text>
      ${points.slice(0, MAX_DOTS).map((point) => mark(variants.indexOf(point.variant), x(point.x), y(point.y), 3, "dot"))}
      ${means.map((each, index) => (each.x === undefined || each.y === undefined ? null : mark(index, x(each.x), y(each.y), 6, "mean")))}
    </svg>
    ${legend(variants)}${meansTable(means, what, shown)}
  </figure>`;
}

interface Mean {
  readonly name: string;
  readonly x: number | undefined;
  readonly y: number | undefined;
}

function legend(variants: readonly string[]): Markup {
  const items = variants.map(
    (name, index) =>
      markup`<li><svg viewBox="0 0 12 12" aria-hidden="true">${mark(index, 6, 6, 4, "mean")}</svg>${name}</li>`,
  );
  return markup`<ul class="legend">${items}</ul>`;
}

function meansTable(means: readonly Mean[], what: string, shown: (value: number) => string): Markup {
  const rows = means.map(
    ({ name, x, y }) => markup`<tr>
  <th scope="row" class="name">${name}</th>
  <td class="num">${x === undefined ? "–" : shown(x)}</td>
  <td class="num">${y === undefined ? "–" : y.toFixed(1)}</td>
</tr>`,
  );
  return markup`<details><summary>Means as a table</summary><table>
<thead><tr><th scope="col">Variant</th><th scope="col" class="num">${what}</th><th scope="col" class="num">Score</th></tr></thead>
<tbody>${rows}</tbody></table></details>`;
}
