import { expect } from "chai";
import { MASKING_PATTERNS } from "#shared/agent-config/built-in/masking-patterns.ts";
import { compileMaskingPattern } from "#shared/agent-config/compile-masking-pattern.ts";

describe("compileMaskingPattern", () => {
  it("compiles every built-in pattern", () => {
    for (const { pattern } of Object.values(MASKING_PATTERNS)) {
      expect(compileMaskingPattern(pattern).source).to.equal(pattern);
    }
  });

  it("takes flags in front as Go writes them", () => {
    expect("Id=1, ID=2".replaceAll(compileMaskingPattern("(?i)id=\\d"), "x")).to.equal("x, x");
    expect(compileMaskingPattern("(?is)a.b").test("A\nB")).to.equal(true);
    expect(compileMaskingPattern("(?im)^b$").test("a\nB")).to.equal(true);
  });

  it("reads characters outside the basic plane whole, and properties of characters", () => {
    expect("😀!".replaceAll(compileMaskingPattern("^."), "")).to.equal("!");
    expect(compileMaskingPattern("^\\p{Lu}$").test("Ä")).to.equal(true);
  });

  it("takes lone braces and escaped punctuation, as Go does", () => {
    expect(compileMaskingPattern(String.raw`\"key\": \"[^\"]+\"}`).test('{"key": "v"}')).to.equal(true);
    expect(compileMaskingPattern(String.raw`account\-\d+`).test("account-1")).to.equal(true);
  });

  it("refuses what is no regular expression, or one only to Go", () => {
    for (const pattern of [
      "(",
      "[a",
      "a{2,1}",
      "*",
      "(?P<name>a)",
      "(?U)a",
      "\\Aa-z",
      "\\Qa.b\\E",
      "[[:alpha:]]",
    ]) {
      expect(() => compileMaskingPattern(pattern), pattern).to.throw(SyntaxError);
    }
  });
});
