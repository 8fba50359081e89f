import { expect } from "chai";
import type { JudgedCell } from "../results/judged-cell.ts";
import { bootstrapInterval } from "../statistics/bootstrap-interval.ts";
import { mcnemar } from "../statistics/mcnemar.ts";
import { measureWorlds } from "../statistics/measure-worlds.ts";

interface Cell {
  readonly a1: boolean;
  readonly a3?: boolean;
  readonly variant?: string;
  readonly repetition?: number;
  readonly incident?: string;
  readonly isConfirmed?: boolean;
  readonly isThin?: boolean;
  readonly category?: string;
}

const cell = (
  name: string,
  {
    a1,
    a3 = a1,
    variant = "a",
    repetition = 1,
    incident = name,
    isConfirmed = false,
    isThin = false,
    category = "network",
  }: Cell,
): JudgedCell => ({
  state: "done",
  case: name,
  variant,
  repetition,
  checks: [],
  passed: a1,
  world: {
    grade: {
      a1,
      a3,
      isObjectRight: a1,
      isCauseRight: a1,
      a1Strict: false,
      notNamed: [],
      forbidden: null,
      said: "",
      right: "",
    },
    category,
    difficulty: "1",
    incident,
    isLeak: false,
    isThin,
  },
  facts: {
    status: "completed",
    error: null,
    conclusion: "",
    summary: null,
    score: null,
    judge: null,
    tags: [],
    cost_usd: 0.5,
    duration_ms: 1_000,
    limited_by_usd: null,
    input_tokens: 100,
    output_tokens: 10,
    llm_calls: 3,
    tool_calls: [],
    world: {
      conclusion: { status: isConfirmed ? "confirmed" : "likely", body: null, checked: [] },
      claims: 4,
      verified_claims: 3,
      calls: 10,
      misses: { "k8s.pods": 1, "k8s.logs": 1 },
      absent: 3,
      unknown_tools: 1,
      masked: 2,
    },
  },
});

describe("measures of worlds", () => {
  it("sums up a variant", () => {
    const { world, variant, repetition } = cell("four", { a1: false });
    const notRun = { variant, repetition, ...(world === undefined ? {} : { world }) };
    const cells = [
      cell("one", { a1: true, isConfirmed: true }),
      cell("two", { a1: false, a3: true, isConfirmed: true }),
      cell("three", { a1: false }),
      { ...notRun, state: "error", case: "four", message: "no" },
      { state: "missing", case: "five", variant: "a", repetition: 1 },
      {
        state: "done",
        case: "tape",
        variant: "a",
        repetition: 1,
        checks: [],
        passed: true,
        facts: factsOf(cell("x", { a1: true })),
      },
    ] as const satisfies readonly JudgedCell[];
    const [found] = measureWorlds(["a"], cells);
    expect(found?.cells).to.equal(4);
    expect([found?.a1, found?.a3, found?.falseConfidence].map((share) => share?.value)).to.deep.equal([
      0.25, 0.5, 0.25,
    ]);
    // Wilson's interval of 1 of 4.
    expect([found?.a1.low, found?.a1.high].map((value) => value?.toFixed(4))).to.deep.equal([
      "0.0456",
      "0.6994",
    ]);
    expect(found).to.include({
      claims: 12,
      unverifiedClaims: 3,
      unknownTools: 3,
      calls: 30,
      misses: 6,
      absent: 9,
      masked: 6,
      usdPerRight: 1.5,
      against: null,
    });
    expect(found?.steps).to.deep.equal({ median: 3, p90: 3 });
    expect(found?.tokens).to.deep.equal({ median: 110, p90: 110 });
    expect(measureWorlds(["a"], [])).to.deep.equal([]);
  });

  it("counts cases of which all and any repetitions are right", () => {
    const cells = [
      ...[true, true].map((a1, n) => cell("one", { a1, repetition: n + 1 })),
      ...[true, false].map((a1, n) => cell("two", { a1, repetition: n + 1 })),
      ...[false, false].map((a1, n) => cell("three", { a1, repetition: n + 1 })),
    ];
    const [found] = measureWorlds(["a"], cells);
    expect([found?.a1.value, found?.allOfK.value, found?.anyOfK.value]).to.deep.equal([1 / 2, 1 / 3, 2 / 3]);
    expect(found?.allOfK.of).to.equal(3);
    // Three incidents: all of one kind may be drawn.
    expect([found?.a1.low, found?.a1.high]).to.deep.equal([0, 1]);
    // Wilson's interval of 0 of 3 for six cells that are not right in the strict sense.
    expect(found?.a1Strict.of).to.equal(6);
    expect(found?.a1Strict.high).to.be.closeTo(0.5615, 0.0001);
  });

  it("groups by category, and leaves thin worlds and leaks out once", () => {
    const cells = [
      cell("one", { a1: true, category: "network" }),
      cell("two", { a1: false, category: "change", isThin: true }),
    ];
    const [found] = measureWorlds(["a"], cells);
    expect(found?.groups.map(({ name, a1 }) => [name, a1.of, a1.value])).to.deep.equal([
      ["without leaks and thin worlds", 1, 1],
      ["category change", 1, 0],
      ["category network", 1, 1],
      ["difficulty 1", 2, 0.5],
    ]);
  });

  it("compares a variant with the first by the cases that both have", () => {
    const cells = [
      ...["x", "y", "z"].map((name) => cell(name, { a1: false })),
      ...["x", "y", "z"].map((name) => cell(name, { a1: true, variant: "b" })),
      cell("only", { a1: true, variant: "b" }),
    ];
    const [, second] = measureWorlds(["a", "b"], cells);
    expect(second?.against).to.deep.equal({ better: 3, worse: 0, p: 0.25 });
  });

  it("gives McNemar's exact p: twice the binomial tail", () => {
    // 2 * (1 + 9 + 36) / 2^9; 2 * 1 / 2^6.
    expect(mcnemar(2, 7)).to.be.closeTo(92 / 512, 1e-12);
    expect(mcnemar(7, 2)).to.be.closeTo(92 / 512, 1e-12);
    expect(mcnemar(0, 6)).to.be.closeTo(2 / 64, 1e-12);
    expect(mcnemar(3, 3)).to.equal(1);
    expect(mcnemar(0, 0)).to.equal(1);
    expect(mcnemar(400, 600)).to.be.greaterThan(0).and.to.be.lessThan(1e-9);
  });

  it("draws whole incidents, the same ones each time", () => {
    // Of groups without spread inside: the share of drawn groups that are right, binomial with n = 4, p = 0.5.
    const groups = [[true], [true, true], [false], [false, false]];
    const { low, high } = bootstrapInterval(groups);
    expect(low).to.equal(0);
    expect(high).to.equal(1);
    expect(bootstrapInterval(groups)).to.deep.equal({ low, high });
    const many = Array.from({ length: 100 }, (_, n) => [n % 2 === 0, n % 2 === 0]);
    const wide = bootstrapInterval(many);
    // ± 1.96 · sqrt(0.25 / 100), although there are 200 trials.
    expect(wide.low).to.be.closeTo(0.402, 0.015);
    expect(wide.high).to.be.closeTo(0.598, 0.015);
    expect(bootstrapInterval([])).to.deep.equal({ low: 0, high: 1 });
  });
});

function factsOf(one: JudgedCell) {
  if (one.state !== "done") throw new Error("it was run");
  const { world: _world, ...facts } = one.facts;
  return facts;
}
