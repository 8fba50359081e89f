import { isDone, type JudgedCell } from "../results/judged-cell.ts";
import { mean } from "../statistics/mean.ts";
import { cellId } from "./cell-id.ts";
import { markup, type Markup } from "#shared/markup.ts";
import type { Report } from "./report.ts";

const CLASSES = 5;

/** A table of cases and variants, coloured by the share of repetitions that passed; each links to its first cell's details. */
export function heatMap({ cases, variants, cells }: Report): Markup {
  const groups = Map.groupBy(cells, ({ case: name, variant }) => JSON.stringify([name, variant]));
  return markup`<div
    class="scroll"
    role="region"
    tabindex="0"
    aria-label="Passed repetitions of each case and variant"
  >
    <table class="heat">
      <thead>
        <tr>
          <th scope="col">Case</th>
          ${variants.map(({ name }) => markup`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${cases.map(
          (own) =>
            markup`<tr>
              <th scope="row" class="name">${own}</th>
              ${variants.map(({ name }) => heatCell(groups.get(JSON.stringify([own, name])) ?? []))}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

function heatCell(cells: readonly JudgedCell[]): Markup {
  const done = cells.filter(isDone);
  const [first] = done;
  if (first === undefined) return markup`<td>–</td>`;
  const passed = done.filter((cell) => cell.passed).length;
  const scores = mean(done.flatMap(({ facts }) => (facts.score === null ? [] : [facts.score])));
  const level = Math.min(CLASSES - 1, Math.floor((passed / done.length) * CLASSES));
  const score = scores === null ? "" : `, score ${Math.round(scores.mean)}`;
  return markup`<td class="h${level}"><a href="#${cellId(first)}">${passed}/${done.length}${score}</a></td>`;
}
