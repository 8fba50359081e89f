import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { MUTATIONS, type Mutation } from "./mutations.ts";

const ROOT = join(import.meta.dirname, "../..");
const MOCHA = join(ROOT, "node_modules/mocha/bin/mocha.js");

const parseResults = compileParser(
  "results",
  Type.Array(
    Type.Object({
      passed: Type.Boolean(),
      findings: Type.Array(Type.Object({ what: Type.String(), ok: Type.Boolean(), detail: Type.String() })),
    }),
  ),
);

const parseMochaResults = compileParser(
  "mocha's results",
  Type.Object({ failures: Type.Array(Type.Object({ fullTitle: Type.String() })) }),
);

/** Runs the scenario's short form, or the test file, on a mutated copy. Resolves with true if the expected check failed. */
async function isDetected({ provenBy, breaks, ...mutation }: Mutation): Promise<boolean> {
  const copy = await mkdtemp(join(tmpdir(), "tarsy-mutant-"));
  try {
    await copyTree(copy);
    await mutate(join(copy, mutation.file), mutation);
    const failed =
      "scenario" in provenBy
        ? await failedChecks(copy, provenBy.scenario)
        : await failedTests(copy, provenBy.testFile, provenBy.isWhole ? [] : ["--fgrep", breaks]);
    for (const what of failed) print(`    failed: ${what}`);
    return failed.some((what) => what.includes(breaks));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function failedChecks(copy: string, scenario: string): Promise<string[]> {
  const json = join(copy, "results.json");
  const args = ["test/faults/main.ts", "--only", scenario, "--short", "--json", json];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: "ignore" });
  await once(child, "exit");
  const [result] = parseResults(JSON.parse(await readFile(json, "utf8")));
  const failed = result?.findings.filter(({ ok }) => !ok) ?? [];
  return failed.map(({ what, detail }) => `${what} (${detail.slice(0, 120)})`);
}

async function failedTests(copy: string, testFile: string, only: readonly string[]): Promise<string[]> {
  const json = join(copy, "results.json");
  const reporter = ["--reporter", "json", "--reporter-option", `output=${json}`];
  const child = spawn(process.execPath, [MOCHA, ...reporter, ...only, testFile], {
    cwd: copy,
    stdio: "ignore",
  });
  await once(child, "exit");
  return parseMochaResults(JSON.parse(await readFile(json, "utf8"))).failures.map(
    ({ fullTitle }) => fullTitle,
  );
}

async function copyTree(copy: string): Promise<void> {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
  });
  for (const file of listed
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "")) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await cp(join(ROOT, file), join(copy, file)).catch(() => undefined); // listed but deleted
  }
  await mkdir(join(copy, ".tarsy"));
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  await symlink(join(ROOT, ".tarsy/tools"), join(copy, ".tarsy/tools"));
}

async function mutate(
  path: string,
  { file, original, mutant }: Pick<Mutation, "file" | "original" | "mutant">,
): Promise<void> {
  const text = await readFile(path, "utf8");
  const [before, after, ...more] = text.split(original);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${file} does not contain exactly once: ${original}; adapt the mutation`);
  }
  await writeFile(path, `${before}${mutant}${after}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

// Removes each guard and expects its scenario or test file to detect that.
const only = process.argv.slice(2);
let missed = 0;
for (const mutation of MUTATIONS) {
  const { name, provenBy, breaks } = mutation;
  const proof = "scenario" in provenBy ? provenBy.scenario : provenBy.testFile;
  if (only.length > 0 && !only.includes(proof)) continue;
  print(`without ${name}: ${proof}`);
  const isCaught = await isDetected(mutation);
  if (!isCaught) missed += 1;
  print(isCaught ? "  fails as expected" : `  DOES NOT FAIL with "${breaks}"`);
}
process.exitCode = missed === 0 ? 0 : 1;
