import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { ALL_SCENARIOS } from "./all-scenarios.ts";
import { NIGHTLY_SHORT_FORMS, SHORT_FORMS } from "./short-forms.ts";
import { renderResults } from "./harness/render-results.ts";
import { runScenario, type ScenarioResult } from "./harness/run-scenario.ts";
import type { Scenario } from "./harness/scenario.ts";

const RESULTS = join(import.meta.dirname, "../../.tarsy/faults/results.json");
const INTERRUPTED = 130;
const USAGE = `usage: npm run test:faults -- [options]

  --only NAME[,NAME]  runs these scenarios; the default is all, which takes more than two hours
  --short             runs the short forms of the named scenarios, by default of those that npm run test:nightly runs
  --seed N            repeats the random choices of a run; the default is a new seed, which is printed
  --json FILE         writes the results to FILE (.tarsy/faults/results.json)
  --list              lists every scenario and runs none

`;

/** A wrong command line: one sentence, exit code 2. */
class UsageError extends Error {}

interface Options {
  readonly scenarios: readonly Scenario[];
  readonly short: boolean;
  readonly seed: number;
  readonly jsonFile: string;
  readonly prints: "list" | "usage" | undefined;
}

function parse(args: readonly string[]): Options {
  const values = parseValues(args);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  if (!Number.isSafeInteger(seed)) {
    throw new UsageError(`--seed is "${values.seed}"; it must be a whole number`);
  }
  const prints = values.help ? "usage" : values.list ? "list" : undefined;
  return {
    scenarios: choose(values.only, values.short),
    short: values.short,
    seed,
    jsonFile: values.json,
    prints,
  };
}

function parseValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: "string" },
        short: { type: "boolean", default: false },
        seed: { type: "string" },
        json: { type: "string", default: RESULTS },
        list: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}

function choose(only: string | undefined, short: boolean): readonly Scenario[] {
  const shortForms = [...Object.values(SHORT_FORMS).flat(), ...NIGHTLY_SHORT_FORMS];
  if (only === undefined) return short ? shortForms : ALL_SCENARIOS;
  return only.split(",").map((wanted) => {
    const found = ALL_SCENARIOS.find(({ name }) => name === wanted);
    const known = ALL_SCENARIOS.map(({ name }) => name).join(", ");
    if (found === undefined) throw new UsageError(`no scenario "${wanted}"; the scenarios are: ${known}`);
    return found;
  });
}

/** Runs the chosen scenarios in sequence, writes the results after each, and resolves with the exit code. */
async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { scenarios, short, seed, jsonFile, prints } = parse(args);
  if (prints !== undefined) {
    const list = ALL_SCENARIOS.map(({ name, summary }) => `${name.padEnd(24)}${summary}`).join("\n");
    process.stdout.write(prints === "usage" ? `${USAGE}${list}\n` : `${list}\n`);
    return 0;
  }
  const results: ScenarioResult[] = [];
  for (const scenario of scenarios) {
    const progress = (line: string) => void process.stderr.write(`${clock()} ${scenario.name}: ${line}\n`);
    progress(`${scenario.summary} (seed ${seed}${short ? ", short" : ""})`);
    const result = await runScenario(scenario, { seed, short, signal, progress });
    results.push(result);
    progress(result.passed ? "pass" : `FAIL\n${result.output}`);
    await writeResults(jsonFile, results);
  }
  process.stdout.write(`${renderResults(results)}\nresults are in ${resolve(jsonFile)}\n`);
  return results.every(({ passed }) => passed) ? 0 : 1;
}

async function writeResults(file: string, results: readonly ScenarioResult[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, undefined, 2)}\n`);
}

function clock(): string {
  return new Date().toISOString().slice(11, 19);
}

const controller = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => controller.abort(new Error(`stopped by ${name}`)));
}
try {
  process.exitCode = await main(process.argv.slice(2), controller.signal);
} catch (error) {
  process.stderr.write(`${errorMessage(controller.signal.aborted ? controller.signal.reason : error)}\n`);
  // Promises that an interrupted scenario waits for would keep the process alive.
  if (controller.signal.aborted) process.exit(INTERRUPTED);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
