import type { Figure } from "./scenario.ts";
import type { ScenarioResult } from "./run-scenario.ts";

/** Results as a plain-text table: a line per scenario, per figure and per failed check. */
export function renderResults(results: readonly ScenarioResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length));
  return results
    .flatMap((result) => {
      const { name, passed, seconds, seed, figures, findings } = result;
      const passedChecks = findings.filter(({ ok }) => ok).length;
      const head = `${passed ? "pass" : "FAIL"}  ${name.padEnd(width)}  ${passedChecks} of ${findings.length} checks, ${seconds.toFixed(0)} s, seed ${seed}`;
      return [
        head,
        ...figures.map((figure) => `      ${renderFigure(figure)}`),
        ...findings
          .filter(({ ok }) => !ok)
          .map(({ what, detail }) => `      failed: ${what}${detail === "" ? "" : ` (${detail})`}`),
      ];
    })
    .join("\n");
}

function renderFigure({ name, value, unit }: Figure): string {
  const text = Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 2 : 1);
  return `${name}: ${text}${unit === "" ? "" : ` ${unit}`}`;
}
