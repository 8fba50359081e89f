import type { Report } from "./report.ts";

/** The report for programs, one JSON document. */
export function renderJson(report: Report): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
