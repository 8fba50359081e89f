import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { pino } from "pino";
import packageJson from "../../../package.json" with { type: "json" };
import { SUMMARY_CALL } from "../../../test/support/scripts.ts";
import { itNightly } from "../../../test/support/nightly.ts";
import { benchmarkClone, importHere } from "../../worlds/test/benchmark-clone.ts";
import { CLOUD_FILES, HOLMES_FILES, OPENSRE_FILES } from "../../worlds/test/hostile-clones.ts";
import { cloudOpsBench } from "../../worlds/import/cloud-opsbench/cloud-opsbench.ts";
import { holmes } from "../../worlds/import/holmes/holmes.ts";
import { openSre } from "../../worlds/import/opensre.ts";
import { findWorlds, readTruth, readWorld } from "../../worlds/world-files.ts";
import { Configurations } from "../engine/configurations.ts";
import { openEngine } from "../engine/open-engine.ts";
import { runCell } from "../engine/run-cell.ts";
import { judgeCell } from "../grade/judge-cell.ts";
import { planSuite } from "../plan/plan-suite.ts";
import { readSuite } from "../suite/read-suite.ts";
import { EvalFixture } from "./eval-fixture.ts";
import { EXAMPLES, exampleWorlds, modelOf } from "./example-worlds.ts";
import { keepSessions, tablesWith } from "./kept-sessions.ts";

const LIMIT_MS = 10 * 60_000;
/** Every canary begins with it. */
const CANARY = "tarsy-truth-";
const LEAKED = "A request has a canary.";
const LEAK = { when: { contains: CANARY }, steps: [{ text: LEAKED }] };

/** Runs all cells of a suite, and resolves with what each came to, the tables that have these texts then, and all that was logged and published. */
async function runAll(fixture: EvalFixture, wanted: readonly string[]) {
  const env = { PATH: process.env["PATH"] };
  const suite = await readSuite(`${fixture.path}/suite.yaml`, env);
  const plan = await planSuite(suite, new Configurations(env), packageJson.version);
  const { signal } = new AbortController();
  const told: string[] = [];
  const log = pino({ level: "trace" }, { write: (line) => void told.push(line) });
  await using engine = await openEngine(1, signal, log);
  await keepSessions(engine.db);
  for (const configuration of plan.configurations.values()) {
    const { connection } = (await engine.executorOf(configuration)).deps.bus;
    connection.publish = (subject, payload) =>
      void told.push(`${subject} ${Buffer.from(payload ?? "").toString()}`);
  }
  const facts = [];
  for (const cell of plan.cells) {
    const configuration = plan.configurations.get(cell.variant.name);
    if (configuration === undefined) throw new Error("the variant has no configuration");
    const { judge } = plan;
    const found = await runCell(engine, cell, { configuration, judge }, signal);
    const { world } = await judgeCell(cell, found, undefined);
    facts.push({ name: `${cell.case.name} × ${cell.variant.name}`, ...found, grade: world?.grade });
  }
  const tables = new Map<string, readonly string[]>();
  for (const text of wanted) tables.set(text, await tablesWith(engine.db, text));
  return { facts, tables, told: told.join("\n") };
}

const WRONG = { object: "node/of-nobody", cause: "infrastructure", category: "infrastructure" };

/** A conclusion of one cause, with a quote of a text that is long enough to be one. */
function concluded(cause: object, text: string): object {
  const quote = text.split(/\r?\n/u).find((line) => line.length > 8) ?? "";
  return {
    status: "confirmed",
    summary: "It is known.",
    confidence: 90,
    causes: [{ ...cause, statement: "It is known." }],
    claims: [
      { id: "c1", cause: 1, text: "It says so.", source: "r1", lines: "", quote: quote.slice(0, 200) },
    ],
    ruled_out: [],
    gaps: [],
    next_checks: [],
  };
}

describe("the truth of a world", function evaluation() {
  // Starts several processes.
  this.timeout(LIMIT_MS);

  it("is in no request to a model, no table, no message and no log of a whole run", async () => {
    const worlds = await exampleWorlds();
    await using fixture = await EvalFixture.create({ good: [LEAK, ...modelOf(worlds, "nothing")] });
    await fixture.writeSuite({
      cassettes: undefined,
      worlds: [EXAMPLES],
      variants: { good: { llm_provider: "good" } },
      judge: "judge",
    });
    for (const { truth } of worlds) expect(truth.canary.startsWith(CANARY)).to.equal(true);
    const control = "logging-agent";
    const { facts, tables, told } = await runAll(fixture, [CANARY, LEAKED, control]);
    expect(facts).to.have.length(worlds.length);
    for (const { status, error, world } of facts) {
      expect(status, error ?? "").to.equal("completed");
      expect(world?.conclusion?.body?.summary).to.equal("It is known.");
    }
    // What agents do see is found where it belongs.
    expect(tables.get(control)).to.include.members(["alert_sessions", "events", "messages", "world_answers"]);
    expect([tables.get(CANARY), tables.get(LEAKED)]).to.deep.equal([[], []]);
    expect(told).to.contain("tarsy.events.").and.contain(control).and.contain("session finished");
    expect(told).not.to.contain(CANARY);
  });

  itNightly("and neither is it, or a secret of theirs, of worlds made of hostile clones", async () => {
    await using fixture = await EvalFixture.create();
    const out = join(fixture.path, "worlds");
    await mkdir(out);
    for (const [source, files] of [
      [holmes, HOLMES_FILES],
      [openSre, OPENSRE_FILES],
      [cloudOpsBench, CLOUD_FILES],
    ] as const) {
      await using clone = await benchmarkClone(files);
      await importHere(source, clone.path, out);
    }
    const files = await findWorlds(out);
    const [good, bad]: [object[], object[]] = [[], []];
    for (const file of files) {
      const read = await readWorld(file);
      const { causes } = await readTruth(file, read);
      const { alert, answers, vocabulary } = read.world;
      const [asked] = answers;
      const [right = WRONG] = causes;
      const code = vocabulary?.causes.length === 0 ? right.category : right.cause;
      const contains = alert.data.split("\n")[1] ?? alert.data;
      for (const [calls, cause] of [
        [good, { entity: right.object, kind: "unknown", code }],
        [bad, { entity: WRONG.object, kind: "unknown", code: WRONG.cause }],
      ] as const) {
        if (asked !== undefined) {
          const call = { name: asked.tool, arguments: asked.args };
          calls.push({ when: { contains, call: 1 }, steps: [{ tool_call: call }] });
        }
        const call = { name: "tarsy.conclude", arguments: concluded(cause, asked?.text ?? "") };
        calls.push({ when: { contains, tools: true }, steps: [{ tool_call: call }] });
      }
    }
    for (const [name, calls] of [
      ["good", good],
      ["bad", bad],
    ] as const) {
      await fixture.writeScript(name, [LEAK, SUMMARY_CALL, ...calls, { steps: [{ text: "As concluded." }] }]);
    }
    await fixture.writeSuite({ cassettes: undefined, worlds: [out] });
    const secret = "hunter2-is-not-it";
    const { facts, tables } = await runAll(fixture, [CANARY, LEAKED, secret, "cart-1"]);
    expect(facts).to.have.length(2 * files.length);
    for (const { name, status, error, world, grade } of facts) {
      expect(status, `${name}: ${error ?? ""}`).to.equal("completed");
      expect(world?.conclusion?.status, name).not.to.equal("unchecked");
      // A truth of statements alone needs a judge.
      if (grade !== undefined && !grade.right.startsWith("what its source")) {
        expect(grade.a1, `${name}: ${grade.said}`).to.equal(name.endsWith("good"));
      }
    }
    expect(tables.get("cart-1")).to.include("messages");
    expect([tables.get(CANARY), tables.get(LEAKED)]).to.deep.equal([[], []]);
    // Worlds have it as it was recorded.
    expect(tables.get(secret)).to.deep.equal(["world_answers"]);
  });
});
