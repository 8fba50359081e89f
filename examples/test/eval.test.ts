import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { projectRoot } from "../../launcher/prepare.mjs";
import { Configurations } from "../../lab/evaluation/engine/configurations.ts";
import { planSuite } from "../../lab/evaluation/plan/plan-suite.ts";
import { readSuite } from "../../lab/evaluation/suite/read-suite.ts";
import { tarsyHere } from "../../scripts/test/tarsy-here.ts";
import { LOCAL_MODEL, startLocalModel } from "../../test/support/local-model/start-local-model.ts";
import { NIGHTLY, describeNightly } from "../../test/support/nightly.ts";

const parseReport = compileParser(
  "report",
  Type.Object(
    {
      state: Type.String(),
      summaries: Type.Array(
        Type.Object(
          { variant: Type.String(), cells: Type.Integer(), passed: Type.Integer(), errors: Type.Integer() },
          { additionalProperties: true },
        ),
      ),
    },
    { additionalProperties: true },
  ),
);

/** Runs an example as the documentation says, with results in a directory of its own. */
async function evaluate(suite: string, env: Readonly<Record<string, string>> = {}) {
  const out = await mkdtemp(join(tmpdir(), "tarsy-example-"));
  try {
    const args = ["eval", `examples/eval/${suite}`, "--out", out];
    const { code, errors } = await tarsyHere(args, {
      PATH: process.env["PATH"],
      INIT_CWD: projectRoot,
      ...env,
    });
    const report = parseReport(JSON.parse(await readFile(join(out, "report.json"), "utf8")));
    return { code, report, said: errors };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

describe("the examples of evaluations", () => {
  it("have suites whose configurations and cassettes are there", async () => {
    const env = { LOCAL_MODEL, LOCAL_MODEL_URL: "http://127.0.0.1:1" };
    const planned = async (name: string) => {
      const suite = await readSuite(join(projectRoot, "examples/eval", name), env);
      return (await planSuite(suite, new Configurations(env), "1.0.0")).cells.length;
    };
    expect([await planned("suite.yaml"), await planned("local-model.yaml")]).to.deep.equal([12, 4]);
  });
});

// lab/evaluation/test runs suites of its own every day.
describeNightly("the example of an evaluation", () => {
  it("tells two scripted models apart, without a key", async () => {
    const { code, report, said } = await evaluate("suite.yaml");
    expect(code, said).to.equal(1);
    const passed = report.summaries.map((summary) => `${summary.variant} ${summary.passed}/${summary.cells}`);
    expect(passed, said).to.deep.equal(["careful 6/6", "hasty 0/6"]);
  });
});

// Takes minutes, and downloads a model.
if (NIGHTLY) {
  describe("the example of an evaluation with a model of this machine", function evaluateLocally() {
    this.timeout(90 * 60_000);

    it("runs every cell", async () => {
      await using model = await startLocalModel();
      const env = { LOCAL_MODEL, LOCAL_MODEL_URL: model.url };
      const { report, said } = await evaluate("local-model.yaml", env);
      expect(report.state, said).to.equal("complete");
      expect(report.summaries.map(({ cells, errors }) => [cells, errors])).to.deep.equal([
        [2, 0],
        [2, 0],
      ]);
    });
  });
}
