import { safeCut } from "#shared/safe-cut.ts";
import { durationText } from "../../../scripts/tarsy/terminal/terminal-style.ts";
import type { WorldFacts } from "../results/cell-facts.ts";
import type { DoneCell, GradedWorld, JudgedCell } from "../results/judged-cell.ts";
import type { Checked } from "../assertions/check-assertion.ts";
import { cellId } from "./cell-id.ts";
import { markup, type Markup } from "#shared/markup.ts";
import { usdShown } from "./usd-shown.ts";

const MAX_TEXT = 20_000;
const MAX_ARGUMENTS = 500;
const MAX_TOOL_CALLS = 100;

/** One cell: a line that opens to its conclusion, assertions, the judge's words and tool calls. */
export function cellDetails(cell: JudgedCell): Markup {
  const label = cell.state === "done" ? (cell.passed ? "pass" : "fail") : cell.state;
  return markup`<details class="cell" id="${cellId(cell)}">
    <summary>
      <span class="badge ${label}">${label}</span> ${cell.variant} #${cell.repetition}
      <span class="muted">${summaryOf(cell)}</span>
    </summary>
    <div class="inside">
      ${cell.state === "done" ? insideOf(cell) : markup`<p>${cell.state === "error" ? `It could not be run: ${cell.message}` : "It was not run: the run ended before."}</p>`}
    </div>
  </details> `;
}

function summaryOf(cell: JudgedCell): string {
  if (cell.state !== "done") return "";
  const {
    status,
    score,
    cost_usd: cost,
    duration_ms: ms,
    llm_calls: calls,
    limited_by_usd: limit,
  } = cell.facts;
  return [
    status,
    ...(score === null ? [] : [`score ${score}`]),
    ...(cost === null ? [] : [usdShown(cost)]),
    durationText(ms),
    `${calls} LLM calls`,
    ...(limit === null ? [] : [`ended by its budget of ${usdShown(limit)}`]),
  ].join(" · ");
}

function insideOf({ facts, checks, world }: DoneCell): Markup {
  const { error, conclusion, summary, judge, tags, tool_calls: calls } = facts;
  const more = calls.length - MAX_TOOL_CALLS;
  return markup`${
    checks.length === 0
      ? null
      : markup`<h4>Assertions</h4>
            <ul class="checks">
              ${checks.map(checkLine)}
            </ul>`
  }
    ${world === undefined ? null : worldLines(world, facts.world)}
    ${
      error === null
        ? null
        : markup`<h4>Error</h4>
            ${text(error)}`
    }
    <h4>Conclusion</h4>
    ${conclusion === "" ? markup`<p class="muted">There is none.</p>` : text(conclusion)}
    ${
      summary === null
        ? null
        : markup`<h4>Executive summary</h4>
            ${text(summary)}`
    }
    ${
      judge === null
        ? null
        : markup`<h4>Judge</h4>
            ${text(judge)}${tags.length === 0 ? null : markup`<p class="muted">Tags: ${tags.join(", ")}</p>`}`
    }
    <h4>Tool calls</h4>
    ${
      calls.length === 0
        ? markup`<p class="muted">There are none.</p>`
        : markup`<div class="scroll" role="group" tabindex="0" aria-label="Tool calls">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Tool</th>
                    <th scope="col">Arguments</th>
                    <th scope="col">Outcome</th>
                  </tr>
                </thead>
                <tbody>
                  ${calls.slice(0, MAX_TOOL_CALLS).map(
                    (call) =>
                      markup`<tr>
                        <td>${call.server}.${call.tool}</td>
                        <td><code>${cut(call.arguments, MAX_ARGUMENTS)}</code></td>
                        <td>${call.error === null ? "ok" : cut(call.error, MAX_ARGUMENTS)}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>
            ${more > 0 ? markup`<p class="muted">and ${more} more</p>` : null}`
    }`;
}

/** What else is right or wrong about a cell of a world, beside the fault. */
function worldLines(
  { category, grade, isMapped, statements }: GradedWorld,
  facts: WorldFacts | undefined,
): Markup {
  const misses = Object.entries(facts?.misses ?? {}).map(([tool, count]) => `${tool} (${count})`);
  const lines: readonly (readonly [name: string, texts: readonly string[]])[] = [
    ["category", [category]],
    ["conclusion", [facts?.conclusion?.status ?? "none", ...(isMapped ? ["mapped from the analysis"] : [])]],
    ["says what it must", statementsOf(statements, "must", true)],
    ["does not say what it must", statementsOf(statements, "must", false)],
    ["says what it must not", statementsOf(statements, "must_not", true)],
    ["not named", grade?.notNamed ?? []],
    ["excluded category", [grade?.forbidden ?? []].flat()],
    ["misses", misses],
  ];
  const said = lines.flatMap(([name, texts]) => (texts.length === 0 ? [] : [`${name}: ${texts.join(", ")}`]));
  return markup`<p class="muted">${said.join(" · ")}</p>`;
}

function statementsOf(
  statements: GradedWorld["statements"],
  list: GradedWorld["statements"][number]["list"],
  wanted: boolean,
): readonly string[] {
  return statements
    .filter((one) => one.list === list && one.isSaid === wanted)
    .map(({ statement, quote }) => (quote === "" ? statement : `${statement} (“${quote}”)`));
}

function checkLine({ passed, text: said, reason }: Checked): Markup {
  const label = passed ? "pass" : "fail";
  return markup`<li>
    <span class="badge ${label}">${label}</span> ${said}${reason === "" ? "" : `: ${reason}`}
  </li>`;
}

/** Scrolls by itself, so the keyboard must reach it. */
function text(value: string): Markup {
  return markup`<div class="text" role="group" tabindex="0" aria-label="Text">${cut(value)}</div>`;
}

function cut(value: string, limit = MAX_TEXT): string {
  return value.length <= limit ? value : `${value.slice(0, safeCut(value, limit))}… (cut)`;
}
