import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { AgentConfigError, formatProblem } from "#shared/agent-config/config-problem.ts";
import { readSuite } from "../suite/read-suite.ts";

describe("readSuite", () => {
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "tarsy-suite-"));
    await mkdir(join(directory, "tapes", "deep"), { recursive: true });
    for (const name of ["tapes/a.json", "tapes/b.cassette.json", "tapes/deep/c.json", "tapes/notes.md"]) {
      await writeFile(join(directory, name), "{}");
    }
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const read = async (text: string, env = {}) => {
    const file = join(directory, "suite.yaml");
    await writeFile(file, text);
    return readSuite(file, env);
  };
  const problems = async (text: string): Promise<string[]> => {
    try {
      await read(text);
    } catch (error) {
      if (!(error instanceof AgentConfigError)) throw error;
      return error.problems.map((problem) => formatProblem({ ...problem, file: "suite.yaml" }));
    }
    return [];
  };

  it("fills in defaults, and finds cassettes by file, directory and pattern, each once", async () => {
    const suite = await read(
      stringify({
        cassettes: ["tapes", { path: "tapes/**/*.json", assertions: [{ contains: "x" }] }, "tapes/a.json"],
        variants: { one: {} },
        assertions: [{ status: "completed" }],
      }),
    );
    expect(suite).to.include({
      name: "suite",
      repetitions: 1,
      parallel: 2,
      timeoutMs: 600_000,
      budgetUsd: undefined,
      answer: "rca.v1",
    });
    const found = suite.cases.map(({ name, assertions }) => [name, assertions.map(({ kind }) => kind)]);
    expect(found).to.deep.equal([
      ["a", ["status", "contains"]],
      ["b", ["status", "contains"]],
      ["c", ["status", "contains"]],
    ]);
    expect(suite.variants).to.deep.equal([
      {
        name: "one",
        configDir: undefined,
        chain: undefined,
        provider: undefined,
        model: undefined,
        instructions: undefined,
        maxIterations: undefined,
      },
    ]);
  });

  it("inserts variables, and takes directories relative to its file", async () => {
    const text =
      "config_dir: tapes\ncassettes: [tapes]\nvariants:\n  one: { llm_provider: p, model: '{{.MODEL}}' }\n";
    const { variants } = await read(text, { MODEL: "tiny" });
    expect(variants[0]).to.include({ model: "tiny", configDir: join(directory, "tapes") });
  });

  it("reports everything that is wrong, by line and column", async () => {
    const text = `cassettes: [missing, { path: tapes, asertions: [] }]
config_dir: nowhere
variants:
  one: { model: x }
  "a/b": { chain: recorded }
  three: { llm_provider: p, temperature: 1 }
assertions:
  - contains: x
    status: completed
  - {}
  - matches: "("
  - min_score: 101
  - min_score: 50
  - tool_called: { name: t, min: 3, max: 2 }
  - contians: x
  - contains: ""
  - status: cancelled
  - max_duration: soon
repetitions: 0
tools: live
parallel: many
cell_budget_usd: 2
`;
    const kinds =
      "contains, not_contains, matches, tool_called, tool_not_called, max_cost_usd, max_duration, max_llm_calls, status, min_score";
    const variantKeys = "config_dir, chain, llm_provider, model, custom_instructions, max_iterations";
    expect(await problems(text)).to.deep.equal([
      `suite.yaml:1:13: cassettes[0].path: must name a cassette, a directory of cassettes or a pattern, found missing; no JSON file in ${directory} matches`,
      "suite.yaml:1:37: cassettes[1].asertions: is not a known key and has no effect; did you mean assertions?",
      `suite.yaml:2:13: config_dir: must be a directory with tarsy.yaml, found nowhere; there is no ${join(directory, "nowhere")}`,
      "suite.yaml:4:17: variants.one.model: needs llm_provider, which serves the model, found x",
      'suite.yaml:5:10: variants["a/b"]: must have a name of 1 to 60 letters, digits, spaces and . + _ -, found a mapping',
      'suite.yaml:5:19: variants["a/b"].chain: needs llm_provider: a recorded chain is run by today\'s provider, found recorded',
      `suite.yaml:6:29: variants.three.temperature: is not a known key and has no effect; known keys: ${variantKeys}`,
      `suite.yaml:8:5: assertions[0]: must have exactly one key but has contains and status; use one of ${kinds}`,
      `suite.yaml:10:5: assertions[1]: must have exactly one key; use one of ${kinds}`,
      'suite.yaml:11:14: assertions[2].matches: must be a regular expression in RE2\'s syntax (missing closing )), found "("',
      "suite.yaml:12:16: assertions[3].min_score: must be a whole number from 0 to 100, found 101",
      "suite.yaml:13:16: assertions[4].min_score: needs a judge, found 50; set judge to an LLM provider",
      "suite.yaml:14:42: assertions[5].tool_called.max: must be at least min, which is 3, found 2",
      `suite.yaml:15:5: assertions[6]: must have exactly one key; use one of ${kinds}`,
      "suite.yaml:15:5: assertions[6].contians: is not a known key and has no effect; did you mean contains?",
      'suite.yaml:16:15: assertions[7].contains: must not be empty, found ""',
      "suite.yaml:17:13: assertions[8].status: must be one of the allowed values, found cancelled; allowed: completed, failed, timed_out",
      "suite.yaml:18:19: assertions[9].max_duration: must be a duration, found soon; write it like 500ms, 90s or 1h30m",
      "suite.yaml:19:14: repetitions: must be a whole number from 1 to 100, found 0",
      "suite.yaml:20:8: tools: must be one of the allowed values, found live; allowed: recorded",
      "suite.yaml:21:11: parallel: must be a whole number from 1 to 32, found many",
      "suite.yaml:22:18: cell_budget_usd: needs budget_usd, of which it is a part, found 2",
    ]);
  });

  it("wants cassettes or worlds, and worlds for a sample of them", async () => {
    const variants = { one: {} };
    expect(await problems(stringify({ variants }))).to.deep.equal([
      "suite.yaml:1:1: must have cassettes or worlds",
    ]);
    const sample = { size: 1 };
    expect(await problems(stringify({ sample, cassettes: ["tapes"], variants }))).to.deep.equal([
      "suite.yaml:2:3: sample: needs worlds, of which it is drawn, found a mapping",
    ]);
    expect(await problems(stringify({ cassettes: ["tapes"], answer: "text", variants }))).to.deep.equal([
      "suite.yaml:3:9: answer: needs a judge, which maps texts to causes, found text",
    ]);
    expect(await problems(stringify({ worlds: ["tapes"], variants }))).to.deep.equal([
      `suite.yaml:2:5: worlds[0].path: must name a world, a directory of worlds or a pattern, found tapes; no file *.world.json in ${directory} matches`,
    ]);
  });

  it("finds worlds below a directory, packed or not, and draws a sample of them", async () => {
    for (const name of [
      "network/a.world.json",
      "network/b.world.json.gz",
      "network/b.truth.json",
      "b.world.json",
    ]) {
      await mkdir(join(directory, "worlds", "network"), { recursive: true });
      await writeFile(join(directory, "worlds", name), "{}");
    }
    const of = { worlds: ["worlds"], variants: { one: {} } };
    const { cases } = await read(stringify(of));
    expect(cases.map(({ kind, name }) => [kind, name])).to.deep.equal([
      ["world", "worlds/b"],
      ["world", "a"],
      ["world", "worlds/network/b"],
    ]);
    const drawn = await read(stringify({ ...of, sample: { size: 1, seed: 3, by: "category" } }));
    expect(drawn.cases).to.have.length(1);
  });

  it("limits the number of cells", async () => {
    const variants = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`v${n}`, {}]));
    for (let n = 0; n < 10; n += 1) await writeFile(join(directory, "tapes", `many-${n}.json`), "{}");
    const text = stringify({ cassettes: ["tapes/many-*.json"], variants, repetitions: 60 });
    expect(await problems(text)).to.deep.equal([
      "suite.yaml:1:1: makes 12000 cells (cases × variants × repetitions): the most is 10000",
    ]);
  });
});
