import { expect } from "chai";
import packageJson from "../../../package.json" with { type: "json" };
import { Configurations } from "../engine/configurations.ts";
import { openEngine } from "../engine/open-engine.ts";
import { runCell } from "../engine/run-cell.ts";
import { planSuite } from "../plan/plan-suite.ts";
import { readSuite } from "../suite/read-suite.ts";
import { EvalFixture } from "./eval-fixture.ts";
import { EXAMPLES, exampleWorlds, modelOf } from "./example-worlds.ts";

const LIMIT_MS = 5 * 60_000;
const LEAKED = "A request has a canary.";

/** Notes each of these texts that a row of any table has, events included, before a session is deleted. */
const LOOK = `
CREATE TABLE looked_for (text text);
CREATE TABLE found (name text, text text);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE name text;
BEGIN
  FOR name IN SELECT table_name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT IN ('looked_for', 'found') LOOP
    EXECUTE format('INSERT INTO found SELECT %L, l.text FROM looked_for l WHERE EXISTS (SELECT FROM %I t WHERE strpos(t::text, l.text) > 0)',
      name, name);
  END LOOP;
  RETURN OLD;
END $$;
CREATE TRIGGER look BEFORE DELETE ON alert_sessions FOR EACH ROW EXECUTE FUNCTION look()`;

describe("the truth of a world", function evaluation() {
  // Starts several processes.
  this.timeout(LIMIT_MS);

  it("is in no request to a model, no table and no event", async () => {
    const worlds = await exampleWorlds();
    const canaries = worlds.map(({ truth }) => truth.canary);
    const leaks = canaries.map((canary) => ({ when: { contains: canary }, steps: [{ text: LEAKED }] }));
    await using fixture = await EvalFixture.create({ good: [...leaks, ...modelOf(worlds, "nothing")] });
    await fixture.writeSuite({
      cassettes: undefined,
      worlds: [EXAMPLES],
      variants: { good: { llm_provider: "good" } },
      judge: "judge",
    });
    const env = { PATH: process.env["PATH"] };
    const suite = await readSuite(`${fixture.path}/suite.yaml`, env);
    const plan = await planSuite(suite, new Configurations(env), packageJson.version);
    const { signal } = new AbortController();
    await using engine = await openEngine(1, signal);
    for (const statement of LOOK.split(/;\n(?=CREATE)/u)) await engine.db.query(statement);
    const control = "logging-agent";
    await engine.db.query("INSERT INTO looked_for SELECT unnest($1::text[])", [[...canaries, control]]);
    for (const cell of plan.cells) {
      const configuration = plan.configurations.get(cell.variant.name);
      if (configuration === undefined) throw new Error("the variant has no configuration");
      const facts = await runCell(engine, cell, { configuration, judge: plan.judge }, signal);
      expect(facts.status, facts.error ?? "").to.equal("completed");
      expect(facts.world?.conclusion?.body?.summary).to.equal("It is known.");
    }
    const found = await engine.db.query("SELECT DISTINCT name, text FROM found ORDER BY name");
    // What agents do see is found where it belongs.
    const places = ["alert_sessions", "events", "messages", "world_answers"];
    expect(found).to.deep.include.members(places.map((name) => ({ name, text: control })));
    expect(found.filter((one) => !JSON.stringify(one).includes(control))).to.deep.equal([]);
  });
});
