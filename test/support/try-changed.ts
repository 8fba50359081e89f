import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { killOnExit } from "./kill-on-exit.ts";

/**
 * `npm run test:changed`, also with `-- --runs 5 --base REF FILE…`: runs each test file 20 times, alone, beside four busy loops, and ends at the
 * first failure with its output. Without files it takes those that differ from the base: from what `origin/main` and HEAD have in common, or from
 * the commit before HEAD where that is HEAD itself. Ctrl-C stops the tests with their servers.
 */

const BUSY_LOOPS = 4;
/** Without it a signal would end mocha before it stops what the tests have started (kill-on-exit.ts). */
const EXIT_ON_SIGTERM = "data:text/javascript,process.once('SIGTERM',()=>process.exit(143))";
const MOCHA = "node_modules/mocha/bin/mocha.js";

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.trim()}`);
  return stdout.trim();
}

function defaultBase(): string {
  const upstream = spawnSync("git", ["merge-base", "origin/main", "HEAD"], {
    encoding: "utf8",
  }).stdout.trim();
  return upstream === "" || upstream === git("rev-parse", "HEAD") ? "HEAD~1" : upstream;
}

/** Also those without a commit. Not those that need containers, which have a command of their own. */
function changedFiles(base: string): readonly string[] {
  const paths = ["--", "*.test.ts", ":!test/chart", ":!test/stack"];
  const names = [
    git("diff", "--name-only", "--diff-filter=d", base, ...paths),
    git("ls-files", "--others", "--exclude-standard", ...paths),
  ];
  return names.flatMap((lines) => lines.split("\n")).filter((name) => name !== "");
}

function keepBusy(): void {
  for (let n = 0; n < BUSY_LOOPS; n += 1) {
    const { pid } = spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" });
    if (pid !== undefined) killOnExit(pid);
  }
}

let running: ChildProcess | undefined;

/** Resolves with the output of a run that failed; undefined if it passed. */
async function failureOf(file: string): Promise<string | undefined> {
  // A group of its own, which Ctrl-C in a terminal does not reach.
  const child = spawn(process.execPath, ["--import", EXIT_ON_SIGTERM, MOCHA, file], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running = child;
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => output.push(bytes));
  await once(child, "close");
  return child.exitCode === 0 ? undefined : Buffer.concat(output).toString();
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    const exit = () => process.exit(130);
    if (running === undefined || !running.kill("SIGTERM")) exit();
    else running.once("close", exit);
  });
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { base: { type: "string" }, runs: { type: "string", default: "20" } },
});
const runs = Number(values.runs);
if (!Number.isSafeInteger(runs) || runs < 1) throw new RangeError("--runs must be a whole number from 1");
const files = positionals.length > 0 ? positionals : changedFiles(values.base ?? defaultBase());
keepBusy();
for (const file of files) {
  const startedAt = performance.now();
  for (let n = 1; n <= runs; n += 1) {
    const failure = await failureOf(file);
    if (failure === undefined) continue;
    process.stdout.write(`${failure}\n${file}: ${n - 1} of ${runs} runs passed, then one failed\n`);
    process.exit(1);
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stdout.write(`${file}: ${runs} runs passed in ${seconds} s\n`);
}
process.stdout.write(`${files.length} test files were tried\n`);
process.exit();
