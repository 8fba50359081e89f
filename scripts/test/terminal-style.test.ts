import { expect } from "chai";
import { durationText, printable } from "../tarsy/terminal/terminal-style.ts";

describe("printable", () => {
  it("preserves lines, tabs and emoji, and replaces control characters", () => {
    expect(printable("a\tb\r\nc 👩‍👩‍👧 \u0007\u009B")).to.equal("a\tb\nc 👩‍👩‍👧 \uFFFD\uFFFD");
  });

  it("shows what would change the direction or the lines of a text", () => {
    expect(printable("\u202Egnp.exe\u202C \u2066a\u2069 \u061C\u200F\u2028\u2029")).to.equal(
      "<U+202E>gnp.exe<U+202C> <U+2066>a<U+2069> <U+061C><U+200F><U+2028><U+2029>",
    );
  });
});

describe("durationText", () => {
  it("formats each duration with a suitable unit", () => {
    expect([0, 850, 4_200, 59_940, 185_000].map((ms) => durationText(ms))).to.deep.equal([
      "0 ms",
      "850 ms",
      "4.2 s",
      "59.9 s",
      "3 min 5 s",
    ]);
  });
});
