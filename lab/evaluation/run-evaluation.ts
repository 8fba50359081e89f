import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { junitXml } from "#shared/junit-xml.ts";
import type { Environment } from "#shared/service/environment.ts";
import { evaluate } from "./evaluate.ts";
import { renderHtml } from "./report/render-html.ts";
import { renderJson } from "./report/render-json.ts";
import { junitSuites } from "./report/junit-suites.ts";
import type { Report } from "./report/report.ts";
import type { ProgressOutput } from "./run/progress.ts";
import { readSuite } from "./suite/read-suite.ts";

interface RunEvaluation {
  /** The suite's; absolute, as all paths here. */
  readonly file: string;
  readonly directory: string;
  readonly fresh: boolean;
  /** Where JUnit's XML goes, too. */
  readonly junit: string | undefined;
  readonly env: Environment;
  readonly output: ProgressOutput;
  readonly signal: AbortSignal;
}

/** A report, and the file that people open. */
interface Evaluation {
  readonly report: Report;
  readonly page: string;
}

/** Runs what is missing of a suite and writes its reports. Throws as `readSuite` and `evaluate`. */
export async function runEvaluation({ file, junit, ...options }: RunEvaluation): Promise<Evaluation> {
  const suite = await readSuite(file, options.env);
  const report = await evaluate({ suite, ...options });
  const { directory } = options;
  const page = join(directory, "report.html");
  await mkdir(directory, { recursive: true });
  await writeFile(page, renderHtml(report));
  await writeFile(join(directory, "report.json"), renderJson(report));
  if (junit !== undefined) await writeFile(junit, junitXml(report.suite, junitSuites(report)));
  return { report, page };
}
