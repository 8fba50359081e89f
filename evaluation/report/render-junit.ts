import { isDone, type JudgedCell } from "../results/judged-cell.ts";
import { markup, type Markup } from "./markup.ts";
import type { Report } from "./report.ts";

/** The report as JUnit's XML: a test suite for each variant, a test for each cell. */
export function renderJunit(report: Report): string {
  const suites = report.variants.map(({ name }) => {
    const cells = report.cells.filter(({ variant }) => variant === name);
    const seconds = cells.filter(isDone).reduce((sum, { facts }) => sum + facts.duration_ms / 1_000, 0);
    const failures = cells.filter((cell) => isDone(cell) && !cell.passed).length;
    const count = (state: JudgedCell["state"]) => cells.filter((cell) => cell.state === state).length;
    return markup`<testsuite name="${name}" tests="${cells.length}" failures="${failures}" errors="${count("error")}" skipped="${count("missing")}" time="${seconds.toFixed(3)}">
${cells.map((cell) => testCase(name, cell))}</testsuite>
`;
  });
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${report.suite}">
${suites}</testsuites>
`.text;
}

function testCase(variant: string, cell: JudgedCell): Markup {
  const seconds = isDone(cell) ? (cell.facts.duration_ms / 1_000).toFixed(3) : "0";
  return markup`<testcase classname="${variant}" name="${cell.cassette} #${cell.repetition}" time="${seconds}">${outcome(cell)}</testcase>
`;
}

function outcome(cell: JudgedCell): Markup {
  switch (cell.state) {
    case "error":
      return markup`<error message="${cell.message}"></error>`;
    case "missing":
      return markup`<skipped message="the run ended before"></skipped>`;
    case "done": {
      if (cell.passed) return markup``;
      const failed = cell.checks.filter(({ passed }) => !passed);
      const lines = failed.map(({ text, reason }) => `${text}: ${reason}`);
      const said = lines.length === 0 ? `ended as ${cell.facts.status}` : lines.join("\n");
      return markup`<failure message="${said.split("\n", 1)[0] ?? ""}">${said}</failure>`;
    }
    default:
      return cell satisfies never;
  }
}
