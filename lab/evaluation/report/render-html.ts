import { createHash } from "node:crypto";
import { isDone } from "../results/judged-cell.ts";
import { cellDetails } from "./cell-details.ts";
import { costScoreChart } from "./charts/cost-score-chart.ts";
import { durationChart } from "./charts/duration-chart.ts";
import { passRateChart } from "./charts/pass-rate-chart.ts";
import { heatMap } from "./heat-map.ts";
import { Markup, markup } from "#shared/markup.ts";
import { answeredText, changedModels, percentText, scriptedText } from "./number-texts.ts";
import { REPORT_STYLE } from "./report-style.ts";
import type { Report } from "./report.ts";
import { SUMMARY_HEADS, summaryRow } from "./summary-table.ts";
import { usdShown } from "./usd-shown.ts";
import { worldComparisons, worldTables, type TextTable } from "./world-tables.ts";

/** The details of more cells would make a page that no browser opens; the JSON has all of them. */
const MAX_DETAILED = 1_000;

/** Nothing is loaded and no script runs, whatever a model has written. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(REPORT_STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** The report as one HTML file that needs nothing else. */
export function renderHtml(report: Report): string {
  const { suite, variants, cases, cells, summaries } = report;
  const names = variants.map(({ name }) => name);
  const done = cells.filter(isDone);
  const detailed = Map.groupBy(cells.slice(0, MAX_DETAILED), ({ case: name }) => name);
  const durations = names.map((name) => ({
    name,
    durationsMs: done.filter(({ variant }) => variant === name).map(({ facts }) => facts.duration_ms),
  }));
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${suite}: evaluation</title>
        <style>${new Markup(REPORT_STYLE)}</style>
      </head>
      <body>
        <main>
          <h1>${suite}</h1>
          <p class="muted">
            ${cases.length} cases × ${names.length} variants × ${report.repetitions} repetitions ·
            ${done.length} of ${cells.length} cells · ${report.madeAt.slice(0, 16).replace("T", " ")} UTC ·
            TARSy ${report.version}
          </p>
          <p class="muted">${spending(report)}${report.judge === null ? "" : ` · judge: ${report.judge}`}</p>
          ${stateNote(report)}
          <p class="muted">${scriptedText(variants)}</p>
          ${changedModels(variants).map((said) => markup`<p class="note">${said}</p>`)}
          <h2>Summary</h2>
          ${table({ title: "Summary of the variants", heads: SUMMARY_HEADS, rows: summaries.map(summaryRow) })}
          <p class="muted">
            Tokens and calls are means per cell. The cost includes the judge's; the rest does not.
          </p>
          ${worldTables(report).map(
            (own) =>
              markup`<h2>${own.title}</h2>
                ${table(own)}`,
          )}
          ${worldComparisons(report).map((said) => markup`<p>${said}</p>`)}
          <h2>Plots</h2>
          <div class="charts">
            ${passRateChart(summaries)}${costScoreChart(names, done)}${durationChart(durations)}
          </div>
          <h2>Cases</h2>
          ${heatMap(report)} ${comparisons(report)}
          <h2>Variants</h2>
          <ul>
            ${variants.map((variant) => {
              const said = [variant.description, answeredText(variant)].filter((text) => text !== "");
              return markup`<li><strong>${variant.name}</strong>: ${said.join("; ")}</li>`;
            })}
          </ul>
          <h2>Cells</h2>
          ${cells.length > MAX_DETAILED ? markup`<p class="note">The first ${MAX_DETAILED} of ${cells.length} cells; the JSON has all.</p>` : null}
          ${[...detailed].map(
            ([name, own]) =>
              markup`<h3>${name}</h3>
                ${own.map(cellDetails)}`,
          )}
        </main>
      </body>
    </html> `.text;
}

function table({ title, heads, rows }: TextTable): Markup {
  return markup`<div class="scroll" role="region" tabindex="0" aria-label="${title}">
    <table>
      <thead>
        <tr>
          ${heads.map((head, index) => markup`<th scope="col" class="${index === 0 ? "" : "num"}">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first = "", ...rest]) =>
            markup`<tr>
              <th scope="row" class="name">${first}</th>
              ${rest.map((text) => markup`<td class="num">${text}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

function spending({ spentUsd, budgetUsd }: Report): string {
  const spent =
    spentUsd === null ? "the cost is unknown: a model has no price" : `${usdShown(spentUsd)} spent`;
  return budgetUsd === null ? spent : `${spent} of ${usdShown(budgetUsd)}`;
}

function stateNote({ state }: Report): Markup | null {
  switch (state) {
    case "complete":
      return null;
    case "budget":
      return markup`<p class="note">
        The budget has ended: cells are missing, and the numbers are those of the cells that were run.
      </p>`;
    case "interrupted":
      return markup`<p class="note">
        The run was interrupted: the same command continues with the cells that are missing.
      </p>`;
    case "incomplete":
      return markup`<p class="note">Some cells could not be run: the same command tries them again.</p>`;
    default:
      return state satisfies never;
  }
}

function comparisons({ comparisons: all }: Report): Markup | null {
  if (all.length === 0) return null;
  return markup`<h2>Against the first variant</h2>
    ${all.map(
      ({ variant, baseline, wins, losses, ties, incomparable, cases }) =>
        markup`<details>
          <summary>
            ${variant} against ${baseline}: better in ${wins}, worse in ${losses}, equal in
            ${ties}${incomparable === 0 ? "" : `, not comparable in ${incomparable}`}
          </summary>
          <div class="scroll" role="region" tabindex="0" aria-label="${variant} against ${baseline}">
            <table>
              <thead>
                <tr>
                  <th scope="col">Case</th>
                  <th scope="col">Outcome</th>
                  <th scope="col" class="num">${variant}</th>
                  <th scope="col" class="num">${baseline}</th>
                </tr>
              </thead>
              <tbody>
                ${cases.map(
                  (row) =>
                    markup`<tr>
                      <th scope="row" class="name">${row.case}</th>
                      <td>${row.outcome}</td>
                      <td class="num">${numbers(row.passRate, row.score)}</td>
                      <td class="num">${numbers(row.baselinePassRate, row.baselineScore)}</td>
                    </tr> `,
                )}
              </tbody>
            </table>
          </div>
        </details> `,
    )}`;
}

function numbers(passRate: number | null, score: number | null): string {
  return score === null ? percentText(passRate) : `${percentText(passRate)}, score ${score.toFixed(1)}`;
}
