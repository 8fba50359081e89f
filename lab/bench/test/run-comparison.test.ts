import { expect } from "chai";
import { runComparison } from "../versus/run-comparison.ts";

const LIMITS = {
  commit_ms: 1,
  commit_cpu_ms: 1,
  publish_ms: 1,
  publish_cpu_ms: 1,
  write_ms: 1,
  write_cpu_ms: 1,
};

describe("runComparison", () => {
  it("alternates the order of the arms and leaves the warm-up out", async () => {
    const runs: string[] = [];
    const arm = (name: string) => ({
      name,
      measure: () => Promise.resolve({ runs_count: runs.push(name) }),
    });
    const { rounds, arms } = await runComparison(
      {
        name: "test",
        what: "Nothing.",
        figures: [],
        rounds: 4,
        arms: [arm("A"), arm("B")],
        limits: { measure: () => Promise.resolve(LIMITS), [Symbol.asyncDispose]: () => Promise.resolve() },
      },
      { progress: () => undefined, signal: new AbortController().signal },
    );
    expect(runs.join("")).to.equal("BAABBAABBA");
    expect(rounds.map(({ order }) => order.join(""))).to.deep.equal(["AB", "BA", "AB", "BA"]);
    expect(rounds[0]?.figures).to.deep.equal({ A: { runs_count: 3 }, B: { runs_count: 4 } });
    expect(arms).to.deep.equal(["A", "B"]);
  });
});
