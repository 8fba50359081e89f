import type { JunitOutcome, JunitSuite } from "#shared/junit-xml.ts";
import { isDone, type JudgedCell } from "../results/judged-cell.ts";
import type { Report } from "./report.ts";

/** The report as JUnit's suites: one for each variant, with a test for each cell. */
export function junitSuites(report: Report): readonly JunitSuite[] {
  return report.variants.map(({ name }) => ({
    name,
    cases: report.cells
      .filter(({ variant }) => variant === name)
      .map((cell) => ({
        className: name,
        name: `${cell.case} #${cell.repetition}`,
        seconds: isDone(cell) ? cell.facts.duration_ms / 1_000 : 0,
        outcome: outcomeOf(cell),
      })),
  }));
}

function outcomeOf(cell: JudgedCell): JunitOutcome {
  switch (cell.state) {
    case "error":
      return { kind: "error", message: cell.message };
    case "missing":
      return { kind: "skipped", message: "the run ended before" };
    case "done": {
      if (cell.passed) return { kind: "passed" };
      const failed = cell.checks.filter(({ passed }) => !passed);
      const lines = failed.map(({ text, reason }) => `${text}: ${reason}`);
      const said = lines.length === 0 ? `ended as ${cell.facts.status}` : lines.join("\n");
      return { kind: "failure", message: said.split("\n", 1)[0] ?? "", text: said };
    }
    default:
      return cell satisfies never;
  }
}
