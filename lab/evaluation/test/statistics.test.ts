import { expect } from "chai";
import { axisScale } from "../report/charts/axis-scale.ts";
import type { JudgedCell } from "../results/judged-cell.ts";
import { compareVariants } from "../statistics/compare-variants.ts";
import { mean } from "../statistics/mean.ts";
import { quantile } from "../statistics/quantile.ts";
import { summarizeVariants } from "../statistics/summarize-variants.ts";
import { wilsonInterval } from "../statistics/wilson-interval.ts";

const cell = (
  variant: string,
  name: string,
  passed: boolean,
  { score = null, cost = 0.5, ms = 1_000 }: { score?: number | null; cost?: number | null; ms?: number } = {},
): JudgedCell => ({
  state: "done",
  variant,
  case: name,
  repetition: 1,
  checks: [],
  passed,
  facts: {
    status: "completed",
    error: null,
    conclusion: "",
    summary: null,
    score,
    judge: null,
    tags: [],
    cost_usd: cost,
    duration_ms: ms,
    limited_by_usd: null,
    input_tokens: 100,
    output_tokens: 10,
    llm_calls: 3,
    tool_calls: [],
  },
});

describe("statistics of an evaluation", () => {
  it("gives Wilson's interval, as published for 8 of 10", () => {
    const { low, high } = wilsonInterval(8, 10);
    expect([low, high].map((value) => Number(value.toFixed(4)))).to.deep.equal([0.4902, 0.9433]);
    expect(wilsonInterval(0, 0)).to.deep.equal({ low: 0, high: 1 });
    expect(wilsonInterval(0, 5).low).to.equal(0);
    expect(wilsonInterval(5, 5).high).to.equal(1);
  });

  it("gives quantiles between neighbours", () => {
    expect(quantile([4, 1, 3, 2], 0.5)).to.equal(2.5);
    expect(quantile([10, 20], 0.95)).to.equal(19.5);
    expect(quantile([7], 0.95)).to.equal(7);
    expect(quantile([], 0.5)).to.equal(null);
  });

  it("gives the mean and the deviation of a sample", () => {
    expect(mean([2, 4, 4, 4, 5, 5, 7, 9])).to.deep.equal({ mean: 5, sd: Math.sqrt(32 / 7) });
    expect(mean([3])).to.deep.equal({ mean: 3, sd: 0 });
    expect(mean([])).to.equal(null);
  });

  it("chooses axes that end at a round number", () => {
    expect(axisScale(0.023)).to.deep.include({ max: 0.03 });
    expect(axisScale(100).max).to.equal(100);
    expect(axisScale(0)).to.deep.equal({ max: 1, ticks: [0, 1] });
  });

  it("sums up a variant; one unknown cost makes the sum unknown", () => {
    const cells: JudgedCell[] = [
      cell("a", "x", true, { score: 80, ms: 1_000 }),
      cell("a", "y", false, { score: 60, ms: 3_000 }),
      { state: "error", variant: "a", case: "z", repetition: 1, message: "no" },
      cell("b", "x", true, { cost: null }),
    ];
    const [a, b] = summarizeVariants(["a", "b"], cells);
    expect(a).to.include({
      cells: 3,
      done: 2,
      passed: 1,
      errors: 1,
      passRate: 0.5,
      costUsd: 1,
      meanCostUsd: 0.5,
      llmCalls: 3,
    });
    expect(a?.score).to.deep.equal({ mean: 70, sd: Math.sqrt(200) });
    expect(a?.durationMs).to.deep.equal({ p50: 2_000, p95: 2_900 });
    expect(b).to.include({ costUsd: null, meanCostUsd: null, score: null });
  });

  it("compares by what passed, then by the score, and close scores are equal", () => {
    const cells = [
      cell("first", "passes", false),
      cell("other", "passes", true),
      cell("first", "fails", true),
      cell("other", "fails", false),
      cell("first", "better", true, { score: 60 }),
      cell("other", "better", true, { score: 65 }),
      cell("first", "close", true, { score: 60 }),
      cell("other", "close", true, { score: 64 }),
      cell("first", "alone", true),
    ];
    const names = ["passes", "fails", "better", "close", "alone"];
    const [comparison] = compareVariants(["first", "other"], names, cells);
    expect(comparison?.cases.map(({ outcome }) => outcome)).to.deep.equal([
      "win",
      "loss",
      "win",
      "tie",
      "incomparable",
    ]);
    expect(comparison).to.include({
      wins: 2,
      losses: 1,
      ties: 1,
      incomparable: 1,
      baseline: "first",
      variant: "other",
    });
  });
});
