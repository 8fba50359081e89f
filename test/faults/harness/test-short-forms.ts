import { expect } from "chai";
import { testSeed } from "../../support/nightly.ts";
import { renderResults } from "./render-results.ts";
import { runScenario } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";

/** Declares one test per scenario, which runs its short form with the seed of this test run. */
export function testShortForms(scenarios: readonly Scenario[]): void {
  for (const scenario of scenarios) {
    it(`keeps its promises when ${scenario.summary}`, async () => {
      const { signal } = new AbortController();
      const options = { seed: testSeed(), short: true, signal, progress: () => undefined };
      const result = await runScenario(scenario, options);
      if (!result.passed) process.stderr.write(result.output.slice(-6_000));
      expect(result.passed, renderResults([result])).to.equal(true);
    });
  }
}
