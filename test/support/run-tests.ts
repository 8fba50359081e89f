import { IS_BUSY } from "./prepare-process.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { bundleForRun } from "./run-bundles.ts";
import { startRunServers } from "./run-servers.ts";
import { serverDirectory } from "./server-directory.ts";
import { BUSY_NODE_FLAGS, CHECKOUT } from "./spawn-service.ts";
import { TestTiers, TIERS } from "./test-tiers.ts";

const USAGE = `Runs the test files of these tiers in parallel, the longest first, on one Postgres and one NATS.

  node test/support/run-tests.ts [--jobs N] [--check] [--record] TIER…

  TIER       ${TIERS.join(", ")} (needs servers, or services as processes), or web (a browser)
  --jobs N   test files at the same time; many of them mostly wait. By default six, or two on a machine that is busy with other
             things, where a loss is noticed half as fast, too
  --check    runs \`npm run check\` beside the tests, which end at once when it fails
  --record   writes how long each file took to test/timings.json
`;

/** The seconds that the tests and hooks of a file took when they were recorded. Files below two seconds are left out. */
const TIMINGS = join(CHECKOUT, "test/timings.json");
const SHORT_S = 2;
/** A worker runs hundreds of files. With the default of 16 MB it spends an eighth of its time in the garbage collector. */
const WORKER_NODE_FLAGS = ["--max-semi-space-size=64"];
const WEB = "test/web/**/*.test.ts";
const OTHERS = ["**/node_modules/**", "**/.*/**", "test/{chart,stack}/**", "lab/bench/versus/**", WEB];
const readTimings = (path: string) => parseTimings(JSON.parse(readFileSync(path, "utf8")));
const parseTimings = compileParser("timings", Type.Record(Type.String(), Type.Number()));

interface RunOptions {
  readonly tiers: readonly string[];
  readonly jobs: string | undefined;
  readonly check: boolean;
  readonly record: boolean;
}

/** Resolves with the exit code of mocha, or of the checks if they fail. */
async function run({ tiers, check, record, ...options }: RunOptions): Promise<number> {
  const jobs = options.jobs ?? (IS_BUSY ? "2" : "6");
  if (IS_BUSY) process.stderr.write(`The machine is busy with other things: ${jobs} test files at a time.\n`);
  const checked = check ? runChecks() : Promise.resolve(0);
  const timings = readTimings(TIMINGS);
  const took = (path: string) => timings[path] ?? 0;
  const files = chooseFiles(tiers).toSorted((a, b) => took(b) - took(a));
  const started = tiers.every((tier) => tier === "unit")
    ? []
    : await Promise.all([startRunServers(), bundleForRun()]);
  // In memory where there is room: the copies of the repository and the clusters that tests make are thousands of files.
  const temporary = await serverDirectory();
  // Postgres runs as a user of its own, who must reach its data.
  await chmod(temporary, 0o755);
  const measured = join(CHECKOUT, ".tarsy/timings.json");
  // Mocha starts its workers with the flags of its own process.
  const program = [...BUSY_NODE_FLAGS, ...WORKER_NODE_FLAGS, "node_modules/mocha/bin/mocha.js"];
  const mocha = spawn(process.execPath, [...program, "--parallel", "--jobs", jobs, ...files], {
    cwd: CHECKOUT,
    stdio: "inherit",
    env: {
      ...process.env,
      TMPDIR: temporary,
      ...Object.fromEntries(started.flatMap((variables) => Object.entries(variables))),
      ...(record ? { TEST_TIMINGS_FILE: measured } : {}),
    },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => mocha.kill(signal));
  void checked.then((code) => code === 0 || mocha.kill("SIGTERM"));
  await once(mocha, "exit");
  const problems = await checked;
  if (problems !== 0) return problems;
  if (record) {
    keepTimings({ ...timings, ...readTimings(measured) });
    rmSync(measured);
  }
  return mocha.exitCode ?? 1;
}

/** Resolves with the exit code of `npm run check`, whose output is printed if it fails. */
async function runChecks(): Promise<number> {
  const child = spawn("npm", ["run", "--silent", "check"], {
    cwd: CHECKOUT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  await once(child, "close");
  if (child.exitCode !== 0) process.stderr.write(`${output}\nnpm run check failed.\n`);
  return child.exitCode ?? 1;
}

function chooseFiles(tiers: readonly string[]): string[] {
  const sorter = new TestTiers(CHECKOUT);
  const files = globSync("**/*.test.ts", { cwd: CHECKOUT, exclude: OTHERS });
  const chosen = files.filter((path) => tiers.includes(sorter.tierOf(path)));
  return tiers.includes("web") ? [...chosen, ...globSync(WEB, { cwd: CHECKOUT })] : chosen;
}

function keepTimings(timings: Readonly<Record<string, number>>): void {
  const isFile = (path: string) => globSync(path, { cwd: CHECKOUT }).length > 0;
  const kept = Object.entries(timings).filter(([path, seconds]) => seconds >= SHORT_S && isFile(path));
  const sorted = Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(TIMINGS, `${JSON.stringify(sorted, null, 2)}\n`);
}

const { values, positionals } = parseArgs({
  options: {
    jobs: { type: "string" },
    check: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const known = new Set<string>([...TIERS, "web"]);
if (positionals.length === 0 || positionals.some((tier) => !known.has(tier))) {
  process.stderr.write(USAGE);
  process.exit(2);
}
// The servers end with this process.
process.exit(await run({ tiers: positionals, ...values, jobs: values.jobs }));
