import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const ROOT = join(import.meta.dirname, "../..");

/** One guard taken out of the code, and the scenario that must notice. */
interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly original: string;
  readonly mutant: string;
  readonly scenario: string;
  /** Part of the promise that must be seen broken. */
  readonly breaks: string;
}

const MUTATIONS: readonly Mutation[] = [
  {
    name: "the fence: a step is written whatever epoch its writer has",
    file: "shared/database/append-events.ts",
    original: "(lease_epoch = $3 AND lease_expires_at IS NOT NULL",
    mutant: "($3::int > 0",
    scenario: "zombie",
    breaks: "no row comes from anyone but the owner",
  },
  {
    name: "the ordering: events take their numbers from a global sequence",
    file: "shared/database/append-events.ts",
    original: "SELECT $1, numbered.base + item.ordinality::int, item.value",
    mutant: "SELECT $1, nextval('events_id_seq')::int, item.value",
    scenario: "notifier-kill",
    breaks: "events are numbered from 1",
  },
  {
    name: "the late acknowledgement: a wake-up is acknowledged before its session's end is committed",
    file: "services/executor/consume-sessions.ts",
    original: "const entry = { delivery, done: Promise.resolve() };",
    mutant: "const entry = { delivery, done: Promise.resolve() };\n    await delivery.ack();",
    scenario: "backlog",
    breaks: "never more than 5 run",
  },
  {
    name: "the late answer: an alert is answered with 202 before its row is committed",
    file: "services/api/routes/submit-alert.ts",
    original: "await insertSession(db, session, key);",
    mutant:
      "await Promise.race([insertSession(db, session, key), { sessionId: session.sessionId, isReplayed: false }]);",
    scenario: "postgres-crash",
    breaks: "every alert answered with 202 has a session",
  },
  {
    name: "the id of a tool call: each owner makes up one of its own",
    file: "services/executor/agent/perform-tool-call.ts",
    original: "const callId = uuidFrom(`tool:${iteration}:${call.index}`, execution.execution_id);",
    mutant:
      "const callId = uuidFrom(`tool:${iteration}:${call.index}:${session.epoch}`, execution.execution_id);",
    scenario: "executor-failpoints",
    breaks: "what may change the world is done once",
  },
];

const parseResults = compileParser(
  "results",
  Type.Array(
    Type.Object({
      passed: Type.Boolean(),
      findings: Type.Array(Type.Object({ what: Type.String(), ok: Type.Boolean(), detail: Type.String() })),
    }),
  ),
);

/** Runs the mutation's scenario, in its short form, on a copy of the tree; true when it noticed. */
async function isNoticed(mutation: Mutation): Promise<boolean> {
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
    for (const { what, detail } of broken) print(`    not so: ${what} (${detail.slice(0, 120)})`);
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
    await cp(join(ROOT, file), join(copy, file)).catch(() => undefined); // listed, but deleted since
  }
  await mkdir(join(copy, ".tarsy"));
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  await symlink(join(ROOT, ".tarsy/tools"), join(copy, ".tarsy/tools"));
}

async function mutate(path: string, { file, original, mutant }: Mutation): Promise<void> {
  const text = await readFile(path, "utf8");
  const [before, after, ...more] = text.split(original);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${file} does not hold exactly once: ${original}; adapt the mutation`);
  }
  await writeFile(path, `${before}${mutant}${after}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A test that cannot fail proves nothing: takes each guard away and wants the named scenario to fail. */
const only = process.argv.slice(2);
let missed = 0;
for (const mutation of MUTATIONS.filter(({ scenario }) => only.length === 0 || only.includes(scenario))) {
  print(`without ${mutation.name}: ${mutation.scenario}`);
  const noticed = await isNoticed(mutation);
  if (!noticed) missed += 1;
  print(noticed ? "  fails, as it must" : `  DOES NOT FAIL with "${mutation.breaks}"`);
}
process.exitCode = missed === 0 ? 0 : 1;
