import { printable, type TerminalStyle } from "../../../scripts/tarsy/terminal/terminal-style.ts";
import { isDone } from "../results/judged-cell.ts";
import { changedModels, scriptedText } from "./number-texts.ts";
import type { Report } from "./report.ts";
import { SUMMARY_HEADS, summaryRow } from "./summary-table.ts";
import { worldComparisons, worldTables, type TextTable } from "./world-tables.ts";

/** What failed is listed up to this many cells; the report has all. */
const MAX_LISTED = 20;
const GAP = "  ";

/** The heads that a narrow terminal leaves out, the first one first; the report has all. */
const OPTIONAL: readonly string[] = [
  "Tokens in",
  "Tokens out",
  "95 % interval",
  "Cost per cell",
  "p95",
  "Tool calls",
  "LLM calls",
  "p50",
];

/** The report for a terminal: the summary as a table, the comparisons, and why cells failed. */
export function renderText(
  report: Report,
  { style, columns }: { readonly style: TerminalStyle; readonly columns: number },
): string {
  const rows = report.summaries.map(summaryRow);
  const lines = [
    style.bold(`${report.suite}: ${report.cells.filter(isDone).length} of ${report.cells.length} cells`),
    ...[scriptedText(report.variants), ...changedModels(report.variants)]
      .filter((text) => text !== "")
      .map((text) => style.red(printable(text))),
    "",
    ...table({ heads: SUMMARY_HEADS, rows }, { style, columns }),
    ...worldTables(report).flatMap((own) => ["", own.title, ...table(own, { style, columns })]),
    ...comparisonLines(report),
    ...failureLines(report, style),
  ];
  return `${lines.join("\n")}\n`;
}

/** Numbers to the right, the first column to the left; as many columns as fit. */
function table(
  { heads, rows }: Pick<TextTable, "heads" | "rows">,
  { style, columns }: { readonly style: TerminalStyle; readonly columns: number },
): string[] {
  const shown = [heads, ...rows].map((row) => row.map(printable));
  const widths = heads.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  const kept = new Set(heads.keys());
  const width = () =>
    [...kept].reduce((sum, column) => sum + (widths[column] ?? 0) + GAP.length, -GAP.length);
  for (const head of OPTIONAL) {
    if (width() <= columns) break;
    kept.delete(heads.findIndex((known) => known === head));
  }
  return shown.map((row, index) => {
    const cells = [...kept].map((column) => {
      const text = row[column] ?? "";
      return column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
    });
    const line = cells.join(GAP).trimEnd();
    return index === 0 ? style.dim(line) : line;
  });
}

function comparisonLines(report: Report): string[] {
  const { comparisons } = report;
  if (comparisons.length === 0) return [];
  const lines = comparisons.map(({ variant, baseline, wins, losses, ties, incomparable }) => {
    const rest = incomparable === 0 ? "" : `, ${incomparable} not comparable`;
    return printable(
      `${variant} against ${baseline}: better in ${wins}, worse in ${losses}, equal in ${ties} cases${rest}`,
    );
  });
  return ["", ...lines, ...worldComparisons(report).map(printable)];
}

function failureLines({ cells }: Report, style: TerminalStyle): string[] {
  const failures = cells.flatMap((cell) => {
    const name = `${cell.case} × ${cell.variant} #${cell.repetition}`;
    if (cell.state === "error") return [`${name}: not run: ${cell.message}`];
    if (cell.state === "missing" || cell.passed) return [];
    const reasons = cell.checks.flatMap(({ passed, text, reason }) => (passed ? [] : [`${text}: ${reason}`]));
    return [`${name}: ${reasons.length === 0 ? `ended as ${cell.facts.status}` : reasons.join("; ")}`];
  });
  if (failures.length === 0) return [];
  const more = failures.length - MAX_LISTED;
  const listed = failures
    .slice(0, MAX_LISTED)
    .map((line) => style.red(printable(line).replaceAll("\n", " ")));
  return ["", ...listed, ...(more > 0 ? [`and ${more} more: the report has all`] : [])];
}
