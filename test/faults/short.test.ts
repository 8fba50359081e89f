import { expect } from "chai";
import { testSeed } from "../support/nightly.ts";
import { ALL_SCENARIOS } from "./all-scenarios.ts";
import { renderResults } from "./harness/render-results.ts";
import { runScenario } from "./harness/run-scenario.ts";

describe("the system under faults (short forms; npm run test:faults runs all scenarios)", () => {
  for (const scenario of ALL_SCENARIOS.filter(({ inShortRun }) => inShortRun)) {
    it(`keeps its promises when ${scenario.summary}`, async function () {
      this.timeout(300_000);
      const { signal } = new AbortController();
      const result = await runScenario(scenario, {
        seed: testSeed(),
        short: true,
        signal,
        progress: () => undefined,
      });
      if (!result.passed) process.stderr.write(result.output.slice(-6_000));
      expect(result.passed, renderResults([result])).to.equal(true);
    });
  }
});
