import { expect } from "chai";
import { NIGHTLY } from "../../../../test/support/nightly.ts";
import { expectLinear } from "../../../../test/support/expect-linear.ts";
import { readConclusion } from "../../features/conclusions/read-conclusion.ts";
import { verifyQuotes } from "../../features/conclusions/verify-quotes.ts";

/** What a session may take: a comparison that takes longer than 2 s is given up. On a busy machine of tests it gets more. */
const MOST_MS = 6_000;
const SIZE = 512 * 1_024;
const fill = (unit: string, size: number): string =>
  unit.repeat(Math.ceil(size / unit.length)).slice(0, size);

function outcomes(text: string, quote: string, claims = 1): string[] {
  const citations = Array.from({ length: claims }, (_, at) => ({
    claim_id: `c${at}`,
    list: "claim" as const,
    source: "r1",
    lines: at % 2 === 0 ? "" : "77",
    quote,
  }));
  return verifyQuotes(citations, [{ id: "r1", kind: "result", text }]).map(({ outcome }) => outcome);
}

/** Milliseconds of this thread. */
function cpuTime(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** What a text is filled with, and a quote that is hard to find in it. */
const HARD: readonly (readonly [string, string, string])[] = [
  ["one word", "a ", "a a a a b a a a a a a"],
  ["one word, and an ellipsis", "a ", "a a a a … a a a a … a a a"],
  ["rows", "a  b  c  d  e\n", "a c e a c e a"],
  ["rows below headings", "A B C\na b c\n", "a c b c a c a b a"],
  ["bars", "a|b|", "a b a c a a a a a"],
  [
    "objects in one line",
    '{"name":"x1","ready":false,"restarts":15},',
    '{"restarts":15,"ready":true,"name":"x1"}',
  ],
  ["nested objects", '{"a":', '{"a":1,"b":"xxxxxxxx"}'],
  ["decimals", "1.234567 ", "1.23 1.23 1.23 1.24 1.23"],
  ["thousands", "1,234,", "1,234,567 abc def"],
  ["masked words", "[MASKED_TOKEN:0a1b2c] ", "[MASKED_TOKEN:0a1b2d] foo [MASKED_TOKEN]"],
  ["beginnings of masked words", "[MASKED_", "foo bar baz blub"],
  ["negations", "no x n't t ", "x no x … t x no x"],
  ["typographic marks", "漢字“テスト”—", "漢字 テスト xxxxxxx"],
  ["combining marks", "\u0300\u0316", "aaaaaaaaaaaaaaaaaa"],
  ["dots", ".", "aaaaaaaa … bbbbbb"],
  ["line breaks", "\n", "abcdefgh xyz"],
  ["escapes", "\\u0041\\n", "AAAAAAAAAAAAAAAA"],
];

describe("hostile texts", function () {
  this.timeout(60_000);

  for (const [title, unit, quote] of HARD) {
    it(`take time in proportion to their size: ${title}`, () => {
      const textOf = (size: number) => fill(unit, size);
      expectLinear(title, { size: SIZE / 16, textOf, work: (text) => outcomes(text, quote) });
    });
  }

  it("of 16 MiB are compared with 30 quotes, within the limit of work", () => {
    const text = fill("the quick brown fox jumps over lazy dog number 12345 \n", 16 * 1_024 * 1_024);
    let found: string[] = [];
    const ms = cpuTime(() => (found = outcomes(text, "dog number 12345 the quick brown fox", 30)));
    expect(new Set(found)).to.deep.equal(new Set(["verified"]));
    expect(ms).to.be.lessThan(MOST_MS);
  });

  it("beyond the limit of work leave quotes unchecked, each time the same ones", () => {
    const text = fill("a ", 4 * 1_024 * 1_024);
    const once = outcomes(text, "a ".repeat(299), 30);
    const hard = () => outcomes(text, `${"a ".repeat(299)}… ${"a ".repeat(200)}`, 30);
    expect(once).to.include("verified");
    expect(hard()).to.include("unchecked").and.deep.equal(hard());
  });
});

const ALL_UNITS = ["\0\uD800", '{"a":', "x", "ab ", "…", "1,234."];
const UNITS = NIGHTLY ? ALL_UNITS : ALL_UNITS.slice(0, 2);

describe("hostile conclusions", function () {
  this.timeout(60_000);

  it("with 5,000 claims of 1 MB, NUL and lone surrogates are cut and compared", () => {
    for (const unit of UNITS) {
      const quote = fill(unit, 1_024 * 1_024);
      const claims = Array.from({ length: 5_000 }, (_, at) => ({
        id: `c${at}`,
        cause: 1,
        text: quote,
        source: "r1",
        lines: "",
        quote,
      }));
      const ms = cpuTime(() => {
        const stated = {
          status: "confirmed",
          summary: `x${quote}`,
          confidence: 90,
          causes: [{ entity: "a", statement: quote }],
          claims,
        };
        const read = readConclusion({ ...stated, ruled_out: claims, gaps: [quote], next_checks: quote });
        if ("problem" in read) throw new Error(read.problem);
        expect(read.conclusion.claims.length).to.be.at.most(20);
        const citations = claims.map((claim) => ({ ...claim, claim_id: claim.id, list: "claim" as const }));
        const checked = verifyQuotes(citations, [
          { id: "r1", kind: "result", text: fill("hello world ab ", 10_000) },
        ]);
        expect(checked).to.have.length(5_000);
      });
      expect(ms, JSON.stringify(unit)).to.be.lessThan(MOST_MS);
    }
  });
});
