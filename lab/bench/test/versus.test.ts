import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Type, type Static } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { prepare } from "../../../launcher/prepare.mjs";
import { projectPaths } from "../../../launcher/project-paths.ts";
import { NIGHTLY } from "../../../test/support/nightly.ts";
import { CHECKOUT } from "../../../test/support/spawn-service.ts";

const MAIN = join(import.meta.dirname, "../main.ts");
const PEERS = join(CHECKOUT, "lab/bench/versus/peers");
const run = promisify(execFile);
const { compileCache } = projectPaths(CHECKOUT);

/** A figure is null if nothing was measured, such as the CPU time of a load that was too short. */
const Figure = Type.Union([Type.Number(), Type.Null()]);
const Figures = Type.Record(Type.String(), Figure);
const Spread = Type.Object({ median: Figure, min: Figure, max: Figure });
const Report = Type.Object({
  benchmark: Type.Literal("versus"),
  started_at: Type.String(),
  machine: Type.Object({}, { additionalProperties: true }),
  settings: Type.Object({ rounds: Type.Integer(), sessions: Type.Integer(), executors: Type.Integer() }),
  comparisons: Type.Array(
    Type.Object({
      name: Type.String(),
      what: Type.String(),
      arms: Type.Array(Type.String(), { minItems: 2 }),
      figures: Type.Array(Type.Object({ name: Type.String(), limit: Type.Optional(Type.String()) })),
      rounds: Type.Array(
        Type.Object({
          order: Type.Array(Type.String()),
          figures: Type.Record(Type.String(), Figures),
          limits: Figures,
        }),
        { minItems: 1 },
      ),
      ratios: Type.Array(
        Type.Object({
          figure: Type.String(),
          ours: Type.String(),
          other: Type.String(),
          ours_median: Figure,
          other_median: Figure,
          ratio: Spread,
          ours_to_limit: Type.Union([Spread, Type.Null()]),
          other_to_limit: Type.Union([Spread, Type.Null()]),
        }),
      ),
    }),
  ),
});
type Comparison = Static<typeof Report>["comparisons"][number];
const parseReport = compileParser("report", Report);

// It installs other systems and runs them beside ours, which takes minutes.
if (NIGHTLY) {
  describe("npm run bench -- versus", () => {
    let temporary: string;
    before(async () => (temporary = await mkdtemp(join(tmpdir(), "tarsy-bench-test-"))));
    after(() => rm(temporary, { recursive: true, force: true }));

    /** Runs a comparison with a tiny load and checks what all have in common. */
    const compare = async (...args: string[]): Promise<Comparison[]> => {
      const file = join(temporary, "versus.json");
      const small = ["--rounds", "1", "--sessions", "4", "--json", file];
      const { stdout } = await run(process.execPath, [MAIN, "versus", ...args, ...small], {
        // Most of the time is the start of about fifteen processes.
        env: { ...process.env, TMPDIR: temporary, NODE_COMPILE_CACHE: compileCache },
      });
      const { comparisons, settings } = parseReport(JSON.parse(await readFile(file, "utf8")));
      expect(settings).to.deep.include({ rounds: 1, sessions: 4 });
      for (const { name, arms, figures, rounds, ratios } of comparisons) {
        expect(stdout).to.contain(name);
        expect(rounds).to.have.length(1);
        expect(rounds[0]?.order, name).to.have.members(arms);
        for (const arm of arms) {
          const measured = Object.keys(rounds[0]?.figures[arm] ?? {});
          expect(measured, `${name}: ${arm}`).to.include.members(figures.map((figure) => figure.name));
        }
        expect(ratios, name).to.have.length((arms.length - 1) * figures.length);
        expect(ratios.filter((row) => row.ours_to_limit !== null)).not.to.be.empty;
      }
      expect((await readdir(temporary)).filter((name) => name.startsWith("tarsy-"))).to.deep.equal([]);
      return comparisons;
    };

    it("compares the commits of two checkouts", async () => {
      const [whole, accepting] = await compare("commits", "--against", CHECKOUT);
      const [first = ""] = whole?.arms ?? [];
      const figures = whole?.rounds[0]?.figures[first];
      // Every session commits its acceptance, its claim, its steps and its end.
      expect(figures?.["write_transactions_per_session"]).to.be.greaterThan(3);
      expect(figures?.["statements_per_session"]).to.be.greaterThan(10);
      const accepted = accepting?.rounds[0]?.figures[first];
      expect(accepted?.["with_1_client_accepted_alerts_per_s"]).to.be.greaterThan(0);
      expect(accepted?.["with_32_clients_accepted_alerts_per_s"]).to.be.greaterThan(0);
    });

    it("compares the queue with other queues", async () => {
      const [queue] = await compare("queue");
      expect(queue?.arms).to.include.members(["ours", "graphile-worker", "pg-boss", "BullMQ"]);
      for (const arm of ["ours", "graphile-worker", "pg-boss", "BullMQ"]) {
        const figures = queue?.rounds[0]?.figures[arm];
        expect(figures?.["start_p50_ms"], arm).to.be.greaterThan(0);
        expect(figures?.["statements_per_job"], arm).to.be.greaterThan(0);
      }
    });

    it("compares a step", async () => {
      const [step] = await compare("step");
      const { ours, "DBOS Transact": dbos } = step?.rounds[0]?.figures ?? {};
      // The run itself fails unless every step is stored once; background writes change the costs a little.
      expect(dbos?.["llm_step_write_transactions"]).to.be.greaterThan(0.5);
      expect(ours?.["tool_step_statements"]).to.satisfy(Number.isFinite);
    });

    it("compares the fan-out and counts every delivery", async () => {
      const comparisons = await compare("fanout");
      expect(comparisons).to.have.length(5);
      for (const { arms, rounds } of comparisons) {
        for (const arm of arms) expect(rounds[0]?.figures[arm]?.["latency_p50_ms"], arm).to.be.greaterThan(0);
      }
    });

    it("has code for the other systems that passes the checks", async () => {
      await prepare("all", PEERS);
      await run("npm", ["run", "check"], { cwd: PEERS });
    });

    const wrongCalls: [string, readonly string[], string][] = [
      ["an unknown comparison", ["commit"], '"commit"'],
      ["a second comparison", ["queue", "step"], '"step"'],
      ["an invalid number of rounds", ["queue", "--rounds", "0"], "--rounds"],
      ["commits without another checkout", ["commits"], "--against"],
      ["another checkout that is none", ["commits", "--against", tmpdir()], "services"],
    ];
    for (const [what, args, named] of wrongCalls) {
      it(`answers ${what} with one sentence and exit code 2`, async () => {
        const failure: unknown = await run(process.execPath, [MAIN, "versus", ...args]).catch(
          (error: unknown) => error,
        );
        expect(failure).to.include({ code: 2 }).and.to.have.property("stderr").that.contains(named);
      });
    }
  });
}
