import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { parse, stringify } from "yaml";
import { Configurations } from "../engine/configurations.ts";
import { planSuite, type SuitePlan } from "../plan/plan-suite.ts";
import { readSuite } from "../suite/read-suite.ts";
import { EvalFixture, SCRIPTS } from "./eval-fixture.ts";
import { makeCassette } from "./make-cassette.ts";

describe("planSuite", () => {
  let fixture: EvalFixture;

  beforeEach(async () => {
    fixture = await EvalFixture.create();
    await fixture.addCassette("disk", makeCassette({ alert: "disk alert" }));
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const plan = async (suite: object = {}, { env = {}, version = "1.0.0" } = {}): Promise<SuitePlan> => {
    await fixture.writeSuite({ variants: { good: { llm_provider: "good" } }, ...suite });
    return planSuite(
      await readSuite(join(fixture.path, "suite.yaml"), env),
      new Configurations(env),
      version,
    );
  };
  const key = async (...options: Parameters<typeof plan>) => (await plan(...options)).cells[0]?.key;
  const failure = async (suite: object): Promise<string> => {
    try {
      await plan(suite);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return "none";
  };
  const rewrite = async (file: string, change: (value: Record<string, unknown>) => object) => {
    const path = join(fixture.path, "config", file);
    const value: unknown = parse(await readFile(path, "utf8"));
    await writeFile(path, stringify(change({ ...(typeof value === "object" ? value : {}) })));
  };

  it("gives a cell another key if something changes that its result depends on, and only then", async () => {
    const first = await key();
    expect(first).to.match(/^[0-9a-f]{64}$/u);
    expect(await key()).to.equal(first);
    const cell = {
      assertions: [{ contains: "x" }],
      parallel: 7,
      repetitions: 4,
      budget_usd: 3,
      name: "other",
    };
    expect(await key(cell)).to.equal(first);

    const good = { llm_provider: "good" };
    const others = [
      await key({}, { version: "1.0.1" }),
      await key({ timeout: "9m" }),
      await key({ judge: "judge" }),
      await key({ judge: "bad" }),
      await key({ variants: { good: { llm_provider: "bad" } } }),
      await key({ variants: { good: { ...good, model: "better" } } }),
      await key({ variants: { good: { ...good, custom_instructions: "Be brief." } } }),
      await key({ variants: { good: { ...good, max_iterations: 2 } } }),
      await key({ variants: { good: { ...good, chain: "recorded" } } }),
      await key({ variants: { renamed: good } }),
      (await plan({ repetitions: 2 })).cells[1]?.key,
    ];
    await fixture.writeScript("good", SCRIPTS.bad);
    others.push(await key());
    await fixture.addCassette("disk", makeCassette({ alert: "another alert" }));
    others.push(await key());
    const text = "In {{.REGION}}";
    await rewrite("tarsy.yaml", (file) => ({
      ...file,
      agents: { TestAgent: { mcp_servers: ["files"], custom_instructions: text } },
    }));
    others.push(await key({}, { env: { REGION: "eu" } }), await key({}, { env: { REGION: "us" } }));
    expect(new Set([first, ...others]).size).to.equal(others.length + 1);
  });

  it("changes what a variant names, and leaves out what belongs to an installation", async () => {
    await rewrite("tarsy.yaml", (file) => ({
      ...file,
      defaults: {
        llm_provider: "good",
        alert_type: "test",
        executive_summary_provider: "good",
        fallback_providers: [{ provider: "bad" }],
        memory: { enabled: true },
        budgets: { session: { usd: 100 } },
        scoring: { enabled: true, llm_provider: "good" },
      },
    }));
    const variants = {
      own: {},
      bad: { llm_provider: "bad", model: "judge-model", custom_instructions: "Guess.", max_iterations: 2 },
      recorded: { chain: "recorded", llm_provider: "bad" },
    };
    const { cells } = await plan({ variants, budget_usd: 6, timeout: "3m" });
    const [own, bad, recorded] = cells.map(({ chain }) => chain);
    expect(own).to.include({ session_timeout_ms: 180_000 });
    expect(own).not.to.have.any.keys("memory", "scoring", "fetches_runbook");
    // Ten times the share of three cells is more than the whole.
    expect(own?.budgets).to.deep.equal({ session: { usd: 6 } });
    const agent = bad?.stages[0]?.agents[0];
    expect(agent).to.include({
      custom_instructions: "Guess.",
      max_iterations: 2,
      iteration_strategy: "native-thinking",
    });
    expect(agent?.llm_provider).to.include({ name: "bad", model: "judge-model", script: "bad.yaml" });
    expect(agent).not.to.have.property("fallback_providers");
    expect(bad?.executive_summary?.llm_provider).to.include({ name: "bad", model: "judge-model" });
    expect(own?.stages[0]?.agents[0]?.fallback_providers).to.have.length(1);
    expect(recorded?.stages[0]?.agents[0]).to.include({ name: "TestAgent" });
    expect(recorded?.stages[0]?.agents[0]?.llm_provider).to.include({ name: "bad", model: "bad-model" });
  });

  it("says what cannot be run, before anything is run", async () => {
    const config = join(fixture.path, "config");
    expect(await failure({ variants: { one: { llm_provider: "god" } } })).to.match(
      new RegExp(`^variants.one: there is no LLM provider "god" in ${config}; it has .*\\bgood\\b`, "u"),
    );
    expect(await failure({ judge: "jury" })).to.match(/^judge: there is no LLM provider "jury"/u);
    const free = { variants: { one: { llm_provider: "good", model: "free" } }, budget_usd: 1 };
    expect(await failure(free)).to.equal(
      `budget_usd needs the price of every model, and none is known for good (model free) of variant one: add each model to system.cost_estimation.model_rates in ${config}/tarsy.yaml, or remove budget_usd`,
    );
    await fixture.addCassette("other", makeCassette({ alert: "x", alertType: "unheard" }));
    expect(await failure({})).to.match(
      /^other cannot be run by variant good \(.*\): no chain handles alert type "unheard"; use one of .*test/u,
    );
    await writeFile(join(fixture.path, "cassettes", "other.json"), "[]");
    expect(await failure({})).to.match(/cassettes\/other\.json: /u);
  });
});
