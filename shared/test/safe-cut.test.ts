import { expect } from "chai";
import { safeCut } from "#shared/safe-cut.ts";

describe("safeCut", () => {
  it("cuts at the limit, or at the end of a shorter text", () => {
    expect(safeCut("abcdef", 4)).to.equal(4);
    expect(safeCut("abc", 10)).to.equal(3);
    expect(safeCut("abc", 0)).to.equal(0);
    expect(safeCut("", 5)).to.equal(0);
  });

  it("never splits a pair", () => {
    expect(safeCut("a💾b", 2)).to.equal(1);
    expect(safeCut("a💾b", 3)).to.equal(3);
    expect(safeCut("💾", 1)).to.equal(0);
  });

  it("cuts off a high surrogate at the very end", () => {
    expect(safeCut("ab\ud83d", 10)).to.equal(2);
    expect(safeCut("ab\udcbe", 10)).to.equal(3);
  });

  it("splits any text into well-formed pieces that give it back", () => {
    const text = "x💾".repeat(50);
    for (const limit of [2, 3, 4, 5, 7]) {
      const pieces: string[] = [];
      for (let rest = text; rest !== ""; rest = rest.slice(pieces.at(-1)?.length)) {
        pieces.push(rest.slice(0, safeCut(rest, limit)));
      }
      expect(pieces.join("")).to.equal(text);
      expect(pieces.every((piece) => piece.isWellFormed() && piece.length <= limit)).to.equal(true);
    }
  });
});
