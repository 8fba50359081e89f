import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { FailedFile } from "./count-reporter.ts";
import { NEVER_RERUN } from "./never-rerun.ts";
import { bundleForRun } from "./run-bundles.ts";

/**
 * `node test/support/rerun-failed.ts DIRECTORY`, for `.ci/run`: runs each test file that `DIRECTORY/failed-files` names once more, alone. For each that
 * passes now it appends to `DIRECTORY/counts` by how much that changes the numbers of passed and failed tests, and to `DIRECTORY/flaky` what had failed.
 */

/** One line per landing, newest last: the day, and the files that `.ci/run` named as FLAKY. A change that corrects such a file removes its name here. */
const LANDINGS = "test/landings.txt";
const COUNTED_LANDINGS = 10;
/** A file that was flaky this often in the counted landings runs no second time. */
const TOO_OFTEN = 2;
/** More files than this do not fail by chance. */
const MOST_FILES = 3;
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

const parseFailedFile = compileParser(
  "failed test file",
  Type.Object({ path: Type.String(), passed: Type.Integer(), failed: Type.Integer(), text: Type.String() }),
);

/** How many tests of the file passed in a run of its own; undefined unless all did. */
async function passedAlone(path: string): Promise<number | undefined> {
  say(`running again, alone: ${path}`);
  const { status, stdout } = spawnSync("npx", ["mocha", path], {
    stdio: ["ignore", "pipe", "inherit"],
    // The same programs as in the run: from its sources a service may do what its bundle does not.
    env: { ...process.env, ...(await bundleForRun()) },
    encoding: "utf8",
    maxBuffer: MOST_OUTPUT_BYTES,
  });
  process.stdout.write(stdout);
  const passed = Number(/^(\d+) passed, 0 failed$/u.exec(stdout.trimEnd().split("\n").at(-1) ?? "")?.[1]);
  return status === 0 && passed > 0 ? passed : undefined;
}

async function rerun(directory: string, { path, passed, failed, text }: FailedFile): Promise<void> {
  if (path === "") return say("not run again: a failure outside every test and hook");
  if (NEVER_RERUN.some((glob) => matchesGlob(path, glob))) {
    return say(`not run again: ${path}, whose failures are findings (test/support/never-rerun.ts)`);
  }
  const times = flakyLandings(path);
  if (times >= TOO_OFTEN) {
    return say(
      `not run again: ${path}, flaky in ${times} of the last ${COUNTED_LANDINGS} landings (${LANDINGS}): correct it and remove its name there`,
    );
  }
  const now = await passedAlone(path);
  // Fewer than before: it left something out.
  if (now === undefined || now < passed) return;
  appendFileSync(join(directory, "counts"), `${now - passed} ${-failed}\n`);
  appendFileSync(join(directory, "flaky"), `FLAKY: ${path} failed, and passed when run alone\n${text}\n\n`);
}

function flakyLandings(path: string): number {
  const landings = readFileSync(LANDINGS, "utf8").trimEnd().split("\n").slice(-COUNTED_LANDINGS);
  return landings.filter((landing) => landing.split(" ").includes(path)).length;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const [directory = ""] = process.argv.slice(2);
const lines = readFileSync(join(directory, "failed-files"), "utf8").trim().split("\n");
const files = lines.map((line) => parseFailedFile(JSON.parse(line)));
if (files.length > MOST_FILES) say(`nothing is run again: ${files.length} test files failed`);
else for (const file of files) await rerun(directory, file);
