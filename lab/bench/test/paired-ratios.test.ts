import { expect } from "chai";
import type { ArmComparison, Limits, Round } from "../versus/comparison.ts";
import { pairedRatios } from "../versus/paired-ratios.ts";

function limits(commit_ms: number): Limits {
  return {
    commit_ms,
    commit_cpu_ms: 1,
    publish_ms: 1,
    publish_cpu_ms: 1,
    write_ms: 1,
    write_cpu_ms: 0.01,
  };
}

function round(ours: number, other: number, commitMs: number): Round {
  const figuresOf = (value: number) => ({ units_per_s: value, wait_ms: value, cpu_us_per_unit: value });
  return {
    order: ["ours", "other"],
    figures: { ours: figuresOf(ours), other: figuresOf(other) },
    limits: limits(commitMs),
  };
}

function comparison(rounds: readonly Round[]): ArmComparison {
  return {
    name: "test",
    what: "Nothing.",
    arms: ["ours", "other"],
    figures: [
      { name: "units_per_s", limit: "commit_ms" },
      { name: "wait_ms", limit: "commit_ms" },
      { name: "cpu_us_per_unit", limit: "write_cpu_ms" },
      { name: "absent_ms" },
    ],
    rounds,
  };
}

describe("pairedRatios", () => {
  it("takes ratios within each round, not of the medians", () => {
    // The machine is ten times slower in the second round, which changes no ratio.
    const [rate] = pairedRatios(comparison([round(10, 20, 1), round(1, 2, 1), round(30, 20, 1)]));
    expect(rate).to.deep.include({ ours_median: 10, other_median: 20 });
    expect(rate?.ratio).to.deep.equal({ median: 0.5, min: 0.5, max: 1.5 });
  });

  it("takes the middle of an even number of rounds, the same in both directions", () => {
    const rounds = [round(1, 1, 1), round(4, 1, 1)];
    const [rate] = pairedRatios(comparison(rounds));
    const [inverse] = pairedRatios({ ...comparison(rounds), arms: ["other", "ours"] });
    expect(rate?.ratio.median).to.be.closeTo(2, 1e-9);
    expect(inverse?.ratio.median).to.be.closeTo(0.5, 1e-9);
    expect(rate?.ours_median).to.be.closeTo(2, 1e-9);
  });

  it("compares the time of one unit with the limit of its round", () => {
    const [rate, wait, cpu] = pairedRatios(comparison([round(100, 50, 2)]));
    expect(rate?.ours_to_limit?.median).to.equal(5); // 10 ms per unit
    expect(rate?.other_to_limit?.median).to.equal(10);
    expect(wait?.ours_to_limit?.median).to.equal(50);
    expect(cpu?.ours_to_limit?.median).to.be.closeTo(10, 1e-9); // 0.1 ms
  });

  it("leaves out figures that an arm does not have", () => {
    const figures = pairedRatios(comparison([round(1, 1, 1)])).map(({ figure }) => figure);
    expect(figures).to.deep.equal(["units_per_s", "wait_ms", "cpu_us_per_unit"]);
  });
});
