import { expect } from "chai";
import type { Conclusion } from "#shared/contracts/conclusion.ts";
import type { JudgedCell, WorldCell } from "../results/judged-cell.ts";
import { bootstrapInterval } from "../statistics/bootstrap-interval.ts";
import { mcnemar, measureWorlds } from "../statistics/measure-worlds.ts";

interface Cell {
  readonly a1: boolean;
  readonly a3?: boolean;
  readonly variant?: string;
  readonly repetition?: number;
  readonly incident?: string;
  readonly isConfirmed?: boolean;
  readonly isThin?: boolean;
  readonly category?: string;
  readonly isMapped?: boolean;
  readonly statements?: WorldCell["world"]["statements"];
  /** What it states first, and how sure it is. */
  readonly states?: {
    readonly entity: string;
    readonly kind: "network" | "change";
    readonly confidence: number;
  };
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
    isMapped = false,
    statements = [],
    states,
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
    isMapped,
    statements,
    hash: "0",
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
      conclusion: { status: isConfirmed ? "confirmed" : "likely", body: bodyOf(states), checked: [] },
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

function bodyOf(states: Cell["states"]): Conclusion | null {
  if (states === undefined) return null;
  const { confidence, ...cause } = states;
  const nothing = { claims: [], ruled_out: [], gaps: [], next_checks: [] };
  return {
    status: "likely",
    summary: "s",
    confidence,
    causes: [{ ...cause, code: "", statement: "s" }],
    ...nothing,
  };
}

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
    expect(second?.against).to.deep.equal({ better: 3, worse: 0, p: 0.25, lost: [] });
    const [, worse] = measureWorlds(["b", "a"], cells);
    expect(worse?.against).to.deep.equal({ better: 0, worse: 3, p: 0.25, lost: ["x", "y", "z"] });
  });

  it("says how far the stated confidence is from what is right, by bins of ten percent", () => {
    const states = (confidence: number) => ({ entity: "pod/a", kind: "network" as const, confidence });
    const cells = [
      cell("one", { a1: true, states: states(90) }),
      cell("two", { a1: false, states: states(100) }),
      cell("three", { a1: false, states: states(20) }),
      cell("four", { a1: true, states: states(19) }),
      cell("five", { a1: true }),
    ];
    const [found] = measureWorlds(["a"], cells);
    expect(found?.calibration.bins).to.deep.equal([
      { from: 10, to: 20, cells: 1, confidence: 0.19, right: 1 },
      { from: 20, to: 30, cells: 1, confidence: 0.2, right: 0 },
      { from: 90, to: 100, cells: 2, confidence: 0.95, right: 0.5 },
    ]);
    expect(found?.calibration.error).to.be.closeTo((0.81 + 0.2 + 2 * 0.45) / 4, 1e-12);
    expect(measureWorlds(["a"], [cell("five", { a1: true })])[0]?.calibration).to.deep.equal({
      error: null,
      bins: [],
    });
  });

  it("says how often two repetitions name the same object and kind", () => {
    const named = (entity: string, repetition: number, kind: "network" | "change" = "network") =>
      cell("one", { a1: false, repetition, states: { entity, kind, confidence: 50 } });
    const cells = [
      named("deployment/cart", 1),
      named("service/cart", 2),
      named("cart", 3, "change"),
      cell("one", { a1: false, repetition: 4 }),
      cell("two", { a1: false, repetition: 1 }),
      cell("two", { a1: false, repetition: 2 }),
      cell("three", { a1: true }),
    ];
    const [found] = measureWorlds(["a"], cells);
    // One of the six pairs of the first, none of the one pair of the second.
    expect([found?.agreement.of, found?.agreement.value]).to.deep.equal([7, 1 / 7]);
  });

  it("counts what a judge has found, and keeps what was mapped apart", () => {
    const judged = (list: "must" | "must_not", isSaid: boolean | null) =>
      ({ list, statement: "s", isSaid, quote: "", votes: 1 }) as const;
    const cells = [
      cell("one", { a1: true, statements: [judged("must", true), judged("must", false)], isMapped: true }),
      cell("two", { a1: false, statements: [judged("must_not", true), judged("must", null)] }),
    ];
    const [found] = measureWorlds(["a"], cells);
    expect(found).to.deep.include({
      mapped: 1,
      must: { asked: 2, said: 1 },
      mustNot: { asked: 1, said: 1 },
    });
    expect(found?.groups.slice(0, 2).map(({ name, a1 }) => [name, a1.of, a1.value])).to.deep.equal([
      ["mapped from text", 1, 1],
      ["not mapped", 1, 0],
    ]);
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
