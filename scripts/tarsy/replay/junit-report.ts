import type { ReplayedCassette } from "./replayed-cassette.ts";

/** What XML 1.0 has no way to write. */
// oxlint-disable-next-line no-control-regex -- these are what is removed
const NOT_IN_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/gu;

/** The results as JUnit's XML: one test for each cassette. */
export function junitReport(results: readonly ReplayedCassette[]): string {
  const count = (kind: ReplayedCassette["result"]["kind"]) =>
    results.filter(({ result }) => result.kind === kind).length;
  const seconds = results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000;
  const totals = `tests="${results.length}" failures="${count("diverged")}" errors="${count("error")}" time="${seconds.toFixed(3)}"`;
  const cases = results.map(testCase).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="tarsy replay" ${totals}>
<testsuite name="tarsy replay" ${totals}>
${cases}</testsuite>
</testsuites>
`;
}

function testCase({ name, result, durationMs }: ReplayedCassette): string {
  const head = `<testcase classname="cassettes" name="${escaped(name)}" time="${(durationMs / 1_000).toFixed(3)}"`;
  switch (result.kind) {
    case "identical":
      return `${head}/>\n`;
    case "error":
      return `${head}><error message="${escaped(result.message)}"/></testcase>\n`;
    case "diverged": {
      const { agent, step, seq, pointer, recorded, now } = result.divergence;
      const message = `${agent ?? "session"}, ${step}: ${pointer}`;
      const text = `event ${seq ?? "unknown"}\nrecorded: ${recorded}\nnow: ${now}`;
      return `${head}><failure message="${escaped(message)}">${escaped(text)}</failure></testcase>\n`;
    }
    default:
      return result satisfies never;
  }
}

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(NOT_IN_XML, "\u{FFFD}")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");
}
