import { expect } from "chai";
import type { ApiResponse } from "#shared/client/api-types.ts";
import {
  durationsOf,
  groupSeries,
  largestSum,
  lineRuns,
  outcomeSeries,
  scaleLines,
  stackedColumns,
} from "../screens/usage/plot-series.ts";
import {
  changeText,
  daysOf,
  latestDays,
  readWindow,
  windowBefore,
  windowTimes,
} from "../screens/usage/usage-window.ts";

type DailyUsage = ApiResponse<"GET /api/v1/usage/days">;

const NOW = Date.parse("2026-03-10T23:30:00Z");
const DAYS = ["2026-03-09", "2026-03-10", "2026-03-11"];

const usage: DailyUsage = {
  cost_estimation_enabled: true,
  window: { start: "", end: "" },
  rank_by: "cost",
  by: "model",
  groups: ["big", "free"],
  days: [
    {
      day: "2026-03-10",
      session_count: 4,
      outcomes: { completed: 3, failed: 1, timed_out: 0, cancelled: 0, unfinished: 0 },
      duration_ms: { median: 10, p95: 30 },
      input_tokens: 0,
      output_tokens: 0,
      total_tokens: 0,
      groups: [
        { name: "big", session_count: 2, total_tokens: 10, estimated_cost_usd: 1 },
        { name: "free", session_count: 1, total_tokens: 40 },
        { name: null, session_count: 1, total_tokens: 5, estimated_cost_usd: 3 },
      ],
    },
  ],
};

describe("readWindow(query, now)", () => {
  it("has the latest 30 days, today included, unless the address names a window", () => {
    expect(readWindow({}, NOW)).to.deep.equal({ from: "2026-02-09", to: "2026-03-10" });
    const given = { from: "2026-01-01", to: "2026-01-01" };
    expect(readWindow(given, NOW)).to.deep.equal(given);
    for (const [from, to] of [
      ["2026-02-30", "2026-03-01"],
      ["2026-03-02", "2026-03-01"],
      ["2025-01-01", "2026-01-01"],
      ["", "2026-01-01"],
      ["2026-1-1", "2026-01-01"],
    ]) {
      expect(readWindow({ from: String(from), to: String(to) }, NOW)).to.deep.equal(latestDays(30, NOW));
    }
  });

  it("is preceded by a window of the same length", () => {
    expect(windowBefore({ from: "2026-03-01", to: "2026-03-07" })).to.deep.equal({
      from: "2026-02-22",
      to: "2026-02-28",
    });
    expect([changeText(150, 100), changeText(50, 100), changeText(3, 0)]).to.deep.equal([
      "+50% vs. previous period",
      "−50% vs. previous period",
      undefined,
    ]);
  });

  it("becomes times whose end is exclusive, and days", () => {
    const window = latestDays(3, Date.parse("2026-03-01T00:00:00Z"));
    expect(windowTimes(window)).to.deep.equal({
      start_date: "2026-02-27T00:00:00Z",
      end_date: "2026-03-02T00:00:00Z",
    });
    expect(daysOf(window)).to.deep.equal(["2026-02-27", "2026-02-28", "2026-03-01"]);
    expect(daysOf(latestDays(365, NOW))).to.have.length(365);
  });
});

describe("the series of a plot", () => {
  it("have a value for each day, and none of a group without values", () => {
    expect(groupSeries(usage, DAYS, "cost").map(({ name, values }) => [name, values])).to.deep.equal([
      ["big", [0, 1, 0]],
      [null, [0, 3, 0]],
    ]);
    expect(groupSeries(usage, DAYS, "tokens").map(({ colour }) => colour)).to.deep.equal([0, 1, 2]);
    expect(outcomeSeries(usage, DAYS).map(({ total }) => total)).to.deep.equal([3, 1, 0, 0, 0]);
    expect(durationsOf(usage, DAYS)).to.deep.equal([null, { median: 10, p95: 30 }, null]);
  });

  it("are stacked in their order", () => {
    const cost = groupSeries(usage, DAYS, "cost");
    expect(largestSum(cost, 3)).to.equal(4);
    expect(stackedColumns(cost, 3, 4)).to.deep.equal([
      [],
      [
        { colour: 0, from: 0, to: 0.25 },
        { colour: 2, from: 0.25, to: 1 },
      ],
      [],
    ]);
  });

  it("have a scale of round values that reaches the largest one", () => {
    const scales = [4, 0.037, 1, 950, 0].map((largest) => scaleLines(largest));
    expect(scales).to.deep.equal([
      [0, 1, 2, 3, 4],
      [0, 0.01, 0.02, 0.03, 0.04],
      [0, 0.25, 0.5, 0.75, 1],
      [0, 250, 500, 750, 1_000],
      [0, 1],
    ]);
    expect([1, 3, 9, 950].map((largest) => scaleLines(largest, true))).to.deep.equal([
      [0, 1],
      [0, 1, 2, 3],
      [0, 5, 10],
      [0, 250, 500, 750, 1_000],
    ]);
    for (let value = 1e-7; value < 1e9; value *= 1.7) {
      const lines = scaleLines(value);
      expect(lines.at(-1)).to.be.at.least(value * (1 - 1e-6));
      expect(lines.length).to.be.within(2, 6);
    }
  });

  it("have lines only between days that have a value", () => {
    expect(lineRuns([1, 2, undefined, 3])).to.deep.equal([
      [
        { day: 0, value: 1 },
        { day: 1, value: 2 },
      ],
      [{ day: 3, value: 3 }],
    ]);
    expect(lineRuns([])).to.deep.equal([]);
  });
});
