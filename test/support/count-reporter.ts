import { appendFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import Mocha from "mocha";

/** Names the file to which a run appends a line of JSON for each test file that failed: a FailedFile. */
const FAILURES_VARIABLE = "TEST_FAILURES_FILE";
/** Names the file to which a run writes how long the tests and hooks of each test file took, in seconds, as JSON. */
const TIMINGS_VARIABLE = "TEST_TIMINGS_FILE";

/** A test file with failures. `path` starts at the working directory; it is empty for what failed outside every test and hook. */
export interface FailedFile {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  /** What its first failure says. */
  readonly text: string;
}

/** Mocha's spec report, followed by the line that the build parses: `N passed, N failed`. */
export default class CountReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const failuresFile = process.env[FAILURES_VARIABLE];
    const timingsFile = process.env[TIMINGS_VARIABLE];
    // A mocha that a test starts has failures and times of its own.
    Reflect.deleteProperty(process.env, FAILURES_VARIABLE);
    Reflect.deleteProperty(process.env, TIMINGS_VARIABLE);
    const passed = new Map<string, number>();
    const took = new Map<string, number>();
    const addTime = ({ file = "", duration = 0 }: Mocha.Runnable) =>
      void took.set(file, (took.get(file) ?? 0) + duration);
    runner.on("test end", addTime);
    runner.on("hook end", addTime);
    runner.on("pass", ({ file = "" }) => passed.set(file, (passed.get(file) ?? 0) + 1));
    runner.once("end", () => {
      // Only at the end: of a run that is cut off nothing is known, so none of its files may run again.
      if (failuresFile !== undefined) appendFileSync(failuresFile, this.#failedFiles(passed));
      if (timingsFile !== undefined) writeFileSync(timingsFile, renderTimings(took));
      // Mocha's failures include those outside a test (a hook, an unhandled rejection).
      process.stdout.write(`${this.stats.passes} passed, ${this.stats.failures} failed\n`);
    });
  }

  #failedFiles(passed: ReadonlyMap<string, number>): string {
    const byFile = Map.groupBy(this.failures, fileOf);
    const files = [...byFile].map(([file, failures]): FailedFile => {
      const [first] = failures;
      return {
        path: file === "" ? "" : relative(process.cwd(), file),
        passed: passed.get(file) ?? 0,
        failed: failures.length,
        text: `${first?.fullTitle() ?? ""}\n${first?.err?.stack ?? first?.err?.message ?? ""}`,
      };
    });
    return files.map((file) => `${JSON.stringify(file)}\n`).join("");
  }
}

/** The file of a test or a hook. Mocha names a file also for one that it could not load; that is no failure of a test. */
function fileOf(failure: Mocha.Runnable): string {
  return "type" in failure ? (failure.file ?? "") : "";
}

/** Seconds by the path of the file. */
function renderTimings(took: ReadonlyMap<string, number>): string {
  const seconds = [...took].map(
    ([file, ms]) => [relative(process.cwd(), file), Math.round(ms / 100) / 10] as const,
  );
  return JSON.stringify(Object.fromEntries(seconds));
}
