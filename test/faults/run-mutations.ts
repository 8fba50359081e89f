import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { MUTATIONS, type Mutation } from "./mutations.ts";

const ROOT = join(import.meta.dirname, "../..");

const parseResults = compileParser(
  "results",
  Type.Array(
    Type.Object({
      passed: Type.Boolean(),
      findings: Type.Array(Type.Object({ what: Type.String(), ok: Type.Boolean(), detail: Type.String() })),
    }),
  ),
);

/** Runs the scenario in its short form on a mutated copy of the tree. Resolves with true if the expected check failed. */
async function isDetected(mutation: Mutation): Promise<boolean> {
  const copy = await mkdtemp(join(tmpdir(), "tarsy-mutant-"));
  try {
    await copyTree(copy);
    await mutate(join(copy, mutation.file), mutation);
    const json = join(copy, "results.json");
    const args = ["test/faults/main.ts", "--only", mutation.scenario, "--short", "--json", json];
    const child = spawn(process.execPath, args, { cwd: copy, stdio: "ignore" });
    await once(child, "exit");
    const [result] = parseResults(JSON.parse(await readFile(json, "utf8")));
    const broken = result?.findings.filter(({ ok }) => !ok) ?? [];
    for (const { what, detail } of broken) print(`    failed: ${what} (${detail.slice(0, 120)})`);
    return broken.some(({ what }) => what.includes(mutation.breaks));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
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

async function mutate(path: string, { file, original, mutant }: Mutation): Promise<void> {
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

// Removes each guard and expects the named scenario to detect it.
const only = process.argv.slice(2);
let missed = 0;
for (const mutation of MUTATIONS.filter(({ scenario }) => only.length === 0 || only.includes(scenario))) {
  print(`without ${mutation.name}: ${mutation.scenario}`);
  const isCaught = await isDetected(mutation);
  if (!isCaught) missed += 1;
  print(isCaught ? "  fails as expected" : `  DOES NOT FAIL with "${mutation.breaks}"`);
}
process.exitCode = missed === 0 ? 0 : 1;
