import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { until } from "../../../test/support/until.ts";

const MAIN = join(import.meta.dirname, "../main.ts");
const NAMES_WITH_UNITS = /_(per_s|per_session|ms|mb|kb_per_session|ms_per_session|percent)$/;

interface Run {
  readonly child: ChildProcess;
  output(): string;
  errors(): string;
  readonly code: Promise<number | null>;
}

/** Starts the command with the given temporary directory, so that leftover files are found. */
function bench(args: readonly string[], temporary: string): Run {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const code = once(child, "close").then(() => child.exitCode);
  return { child, output: () => output, errors: () => errors, code };
}

/** Every number of a report with its path. */
function numbers(value: unknown, path: readonly string[] = []): { path: readonly string[]; value: number }[] {
  if (typeof value === "number") return [{ path, value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => numbers(member, [...path, key]));
}

describe("npm run bench", () => {
  let temporary: string;
  before(async () => (temporary = await mkdtemp(join(tmpdir(), "tarsy-bench-test-"))));
  after(() => rm(temporary, { recursive: true, force: true }));

  /** Files that the benchmark left; Node may also use the directory for caches. */
  const leftovers = async () => (await readdir(temporary)).filter((name) => name.startsWith("tarsy-"));

  if (NIGHTLY) {
    describe("smoke", () => {
      it("reports every figure with its unit and leaves nothing behind", async () => {
        const file = join(temporary, "report.json");
        const run = bench(["smoke", "--sessions", "3", "--json", file], temporary);
        expect(await run.code, run.errors()).to.equal(0);
        const report: unknown = JSON.parse(await readFile(file, "utf8"));
        expect(report).to.have.all.keys(
          "benchmark",
          "started_at",
          "machine",
          "settings",
          "accepting_while_executors_run",
          "accepting_without_executors",
          "sessions",
          "sessions_one_at_a_time",
          "services",
          "postgres",
          "nats",
          "bench_client",
          "cpu_used_percent",
        );
        expect(report).to.have.nested.property("settings.sessions", 3);
        expect(report)
          .to.have.property("services")
          .that.has.all.keys("api", "executor", "llm-gateway", "tool-runner", "notifier", "sum");
        const figures = numbers(report).filter(
          ({ path: [section] }) => !["settings", "machine"].includes(section ?? ""),
        );
        for (const { path, value } of figures) {
          expect(path.at(-1), path.join(".")).to.match(NAMES_WITH_UNITS);
          expect(Number.isFinite(value) && value >= 0, `${path.join(".")} = ${value}`).to.equal(true);
        }
        const measured = new Map(figures.map(({ path, value }) => [path.join("."), value]));
        for (const name of [
          "sessions.completed_per_s",
          "sessions.accepted_to_completed_p99_ms",
          "accepting_while_executors_run.alerts_per_s",
          "accepting_without_executors.latency_p50_ms",
          "services.sum.rss_loaded_mb",
          "postgres.write_transactions_per_session",
        ]) {
          expect(measured.get(name), name).to.be.greaterThan(0);
        }
        for (const text of ["3 sessions", "Postgres", "compare only within one run"]) {
          expect(run.output()).to.contain(text);
        }
        expect(await leftovers()).to.deep.equal([]);
      });

      it("stops and removes everything on Ctrl-C", async () => {
        const run = bench(["smoke", "--sessions", "100000"], temporary);
        await until("the load runs", () => run.errors().includes("while executors run"));
        run.child.kill("SIGINT");
        expect(await run.code, run.errors()).to.equal(130);
        expect(run.output()).to.equal("");
        expect(await leftovers()).to.deep.equal([]);
      });
    });
  }

  const wrongCalls: [string, readonly string[], string][] = [
    ["no benchmark", [], "name a benchmark"],
    ["an unknown benchmark", ["smok"], '"smok"'],
  ];
  // Each loads its benchmark, which is much of the system.
  const moreWrongCalls: typeof wrongCalls = [
    ["an unknown option", ["smoke", "--session", "3"], "--session"],
    ["an invalid number of sessions", ["smoke", "--sessions", "many"], "--sessions"],
    ["too many executors", ["smoke", "--executors", "17"], "--executors"],
    ["a surplus argument", ["smoke", "twice"], "twice"],
    ["an invalid number of rounds", ["startup", "--rounds", "x"], "--rounds"],
    ["too few rounds of calls", ["tool-call", "--rounds", "0"], "a whole number from 1 to 100000"],
    ["too few rounds of steps", ["step", "--rounds", "0"], "a whole number from 1 to 1000"],
    ["a directory that is no checkout", ["startup", "--tree", tmpdir()], "--tree: there is no"],
    ["no share", ["gateway", "--share", "0"], "--share"],
    ["a share that is no number", ["gateway", "--share", "many"], "--share"],
  ];
  for (const [what, args, named] of [...wrongCalls, ...(NIGHTLY ? moreWrongCalls : [])]) {
    it(`answers ${what} with one sentence and exit code 2`, async () => {
      const run = bench(args, temporary);
      expect(await run.code).to.equal(2);
      expect(run.output()).to.equal("");
      expect(run.errors().trim().split("\n")).to.have.lengthOf(1);
      expect(run.errors()).to.contain(named);
    });
  }

  it("prints the usage of a benchmark", async () => {
    const run = bench(["smoke", "--help"], temporary);
    expect(await run.code).to.equal(0);
    expect(run.output()).to.contain("--sessions");
  });

  // It loads all of them.
  if (NIGHTLY) {
    it("prints its usage", async () => {
      const run = bench(["--help"], temporary);
      expect(await run.code).to.equal(0);
      expect(run.output()).to.contain("smoke");
    });
  }
});
