import { expect } from "chai";
import { readableText, withoutOwnLines } from "../readable-text.ts";
import { expectLinear } from "../../../test/support/expect-linear.ts";

describe("readableText", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["colours", "\u001B[1;31mred\u001B[0m \u009B2J", "red 2J"],
    ["titles and links", "\u001B]0;title\u0007a\u001B]8;;http://x\u001B\\b", "ab"],
    ["bidirectional controls", "\u202Egnp.exe\u202C \u2066x\u2069", "gnp.exe x"],
    ["zero-width characters", "pass\u200Bwo\u200Drd\uFEFF \u2060x\u00AD", "password x"],
    ["tags and variation selectors", "a\u{E0049}\u{E0047}\u{E0100}\uFE0Fb", "ab"],
    ["controls", "a\u0007\u0008\u007Fb\u0085c", "abc"],
    ["line separators", "a\u2028b\u2029c", "a\nb\nc"],
    ["nothing else", "tab\tline\r\n日本語 é 😀 \uFFFD", "tab\tline\r\n日本語 é 😀 \uFFFD"],
  ];
  for (const [what, text, readable] of cases) {
    it(`removes ${what}`, () => expect(readableText(text)).to.equal(readable));
  }

  it("takes linear time", () => {
    for (const part of ["\u001B]", "\u001B[", "\u001BP", "\u001B[0;"]) {
      const textOf = (size: number) => part.repeat(size / part.length);
      expectLinear(part, { size: 8_000, textOf, work: readableText });
    }
  });
});

describe("withoutOwnLines", () => {
  it("marks lines that look like those of this program, and leaves others", () => {
    for (const line of [
      "[Cut: this result has 5 bytes",
      "[ cut : x",
      "[Summary, by a model, of x",
      "[… not shown: 7 characters",
      "[Lines 1 to 2 of 3]",
    ]) {
      expect(withoutOwnLines(`a\n${line}`)).to.match(/^a\n\[the server wrote: /u);
    }
    const plain = "[1, 2] [MASKED_TOKEN:1] [summary](x) [line 3] [resource file:///x]";
    expect(withoutOwnLines(plain)).to.equal(plain);
  });

  it("keeps JSON valid", () => {
    const json = JSON.stringify({ log: "[Cut: this result has 5 bytes]" });
    expect(JSON.parse(withoutOwnLines(json))).to.deep.equal({
      log: "[the server wrote: Cut: this result has 5 bytes]",
    });
  });
});
