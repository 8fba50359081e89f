import { expect } from "chai";
import { MAX_CONCLUSION_BYTES, type ConclusionNames } from "#shared/contracts/conclusion.ts";
import { readConclusion } from "../../features/conclusions/read-conclusion.ts";

const CLAIM = {
  id: "c1",
  cause: 1,
  text: "the disk is full",
  source: "r1",
  lines: "3",
  quote: "No space left on device",
};
const GOOD = {
  status: "confirmed",
  summary: "The disk of db-1 is full.",
  confidence: 90,
  causes: [{ entity: "node/db-1", kind: "resource_exhaustion", code: "", statement: "Its disk is full." }],
  claims: [CLAIM],
  ruled_out: [{ theory: "network", because: "it answers", source: "r2", lines: "", quote: "0% packet loss" }],
  gaps: ["no metrics"],
  next_checks: ["look at the backups"],
};

function read(parameters: unknown) {
  const result = readConclusion(parameters);
  if ("problem" in result) throw new Error(result.problem);
  return result;
}

function problemOf(parameters: unknown): string {
  const result = readConclusion(parameters);
  return "problem" in result ? result.problem : "";
}

describe("readConclusion", () => {
  it("takes a conclusion as it is", () => {
    expect(read(GOOD)).to.deep.equal({ conclusion: GOOD, corrected: [] });
  });

  it("corrects slips, and names them", () => {
    const { conclusion, corrected } = read({
      ...GOOD,
      status: " Confirmed",
      confidence: "85%",
      causes: { entity: "node/db-1", kind: "Resource exhaustion", statement: 7, more: 1 },
      claims: [
        { ...CLAIM, cause: "1", lines: 3 },
        { ...CLAIM },
        { ...CLAIM, id: null, cause: 3 },
        { ...CLAIM, id: "out1" },
        {},
      ],
      ruled_out: null,
      gaps: "no metrics",
    });
    expect(conclusion).to.deep.equal({
      ...GOOD,
      confidence: 85,
      causes: [{ entity: "node/db-1", kind: "resource_exhaustion", code: "", statement: "7" }],
      claims: [CLAIM, { ...CLAIM, id: "c2" }, { ...CLAIM, id: "c3", cause: 0 }, { ...CLAIM, id: "c4" }],
      ruled_out: [],
    });
    expect(corrected).to.include.members([
      'status: " Confirmed" read as confirmed',
      'confidence: "85%" read as 85',
    ]);
    expect(corrected).to.include("claims: a second c1, now c2");
  });

  it("reads names that the task does not list, and says so; a category of its own stands before the code", () => {
    const names = { codes: ["oom_killed"], categories: ["Runtime_Fault"], entities: ["app/cart"] };
    const cause = { ...GOOD.causes[0], entity: "app/cart" };
    const of = (given: object, known: ConclusionNames) => {
      const result = readConclusion({ ...GOOD, causes: [{ ...cause, ...given }] }, known);
      if ("problem" in result) throw new Error(result.problem);
      return [result.conclusion.causes[0]?.code, ...result.corrected];
    };
    const right = "Runtime_Fault/oom_killed";
    expect(of({ category: "Runtime_Fault", code: "oom_killed" }, names)).to.deep.equal([right]);
    expect(of({ category: "Runtime_Fault", code: right }, names)).to.deep.equal([right]);
    expect(of({ code: right }, names)).to.deep.equal([right]);
    expect(of({ category: "", code: "" }, names)).to.deep.equal([""]);
    expect(of({ entity: "app/carts", category: "Fault", code: "oom" }, names)).to.deep.equal([
      "Fault/oom",
      'causes[0].entity: "app/carts" is no name that the task lists',
      'causes[0].category: "Fault" is no name that the task lists',
      'causes[0].code: "oom" is no name that the task lists',
    ]);
    expect(of({ code: "oom" }, { codes: [], categories: [], entities: [] })).to.deep.equal(["oom"]);
  });

  it("reads a confidence below 1 as a share, and keeps it from 0 to 100", () => {
    for (const [given, expected] of [
      [0.8, 80],
      ["0.85", 85],
      [1, 1],
      [180, 100],
      [-3, 0],
      ["high", 0],
      [undefined, 0],
      [66.6, 67],
    ]) {
      expect(read({ ...GOOD, confidence: given }).conclusion.confidence, String(given)).to.equal(expected);
    }
  });

  it("takes a conclusion inside of an object", () => {
    expect(read({ conclusion: GOOD }).conclusion).to.deep.equal(GOOD);
  });

  it("takes an inconclusive one without causes and claims", () => {
    const { conclusion } = read({ status: "inconclusive", summary: "Nothing was found." });
    expect(conclusion).to.include({ status: "inconclusive", confidence: 0 });
    expect(conclusion.claims).to.deep.equal([]);
  });

  it("refuses what has no usable status, summary or cause, and says what is allowed", () => {
    expect(problemOf("text")).to.match(/no object.*status, summary, causes/u);
    expect(problemOf([GOOD])).to.match(/no object/u);
    expect(problemOf({ ...GOOD, status: "maybe" })).to.match(
      /^status is "maybe".*confirmed, likely or inconclusive/u,
    );
    expect(problemOf({ ...GOOD, status: undefined })).to.match(/^status is nothing/u);
    expect(problemOf({ ...GOOD, summary: " " })).to.match(/^summary is empty.*600/u);
    expect(problemOf({ ...GOOD, causes: [] })).to.match(/^causes is empty.*1 to 3/u);
    expect(problemOf({ ...GOOD, causes: [{ kind: "load" }] })).to.match(/^causes is empty/u);
  });

  it("cuts texts and lists to their limits, a quote at a word", () => {
    const long = "word ".repeat(400);
    const { conclusion, corrected } = read({
      ...GOOD,
      summary: long,
      claims: Array.from({ length: 25 }, (_, at) => ({ ...CLAIM, id: `c${at}`, quote: long })),
    });
    expect(conclusion.summary).to.have.length(600).and.match(/…$/u);
    expect(conclusion.claims).to.have.length(20);
    expect(conclusion.claims[0]?.quote).to.have.length.within(590, 600).and.match(/word$/u);
    expect(corrected).to.include.members(["summary: cut to 600 characters", "claims: 5 beyond 20 left out"]);
  });

  it("keeps the whole below 32 KiB, the claims longest", () => {
    const long = "é".repeat(600);
    const claims = Array.from({ length: 20 }, (_, at) => ({
      ...CLAIM,
      id: `c${at}`,
      text: long,
      quote: long,
    }));
    const { conclusion, corrected } = read({ ...GOOD, claims, gaps: Array.from({ length: 10 }, () => long) });
    expect(Buffer.byteLength(JSON.stringify(conclusion))).to.be.at.most(MAX_CONCLUSION_BYTES);
    expect(conclusion.gaps).to.be.empty;
    expect(conclusion.claims.length).to.be.within(10, 19);
    expect(corrected.join()).to.match(/gaps: 10 left out, because the whole has more than 32 KiB/u);
  });

  it("replaces what Postgres refuses", () => {
    const { conclusion, corrected } = read({ ...GOOD, summary: "a\0b\uD800c" });
    expect(conclusion.summary).to.equal("a\uFFFDb\uFFFDc");
    expect(corrected).to.deep.equal(["summary: characters replaced that cannot be stored"]);
  });
});
