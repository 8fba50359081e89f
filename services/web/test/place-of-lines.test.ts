import { expect } from "chai";
import { placeOfLines } from "../session/place-of-lines.ts";

describe("the place of words in a result", () => {
  const TEXT = "same\nother\n  same\nsame\n";

  it("is the one at their line, which may be indented", () => {
    expect([1, 3, 4].map((line) => placeOfLines(TEXT, "same", line))).to.deep.equal([0, 13, 18]);
  });

  it("is within a long line, which counts as several", () => {
    const text = `same ${"x".repeat(2_500)} same`;
    expect(placeOfLines(text, "same", 3)).to.equal(2_506);
    expect(placeOfLines(`${text}\nsame`, "same", 4)).to.equal(text.length + 1);
  });

  it("is the nearest one where the line has none, and none where the result has no such words", () => {
    expect(placeOfLines(TEXT, "other", 99)).to.equal(5);
    expect(placeOfLines(TEXT, "others", 1)).to.equal(undefined);
    expect(placeOfLines(TEXT, "", 1)).to.equal(undefined);
  });
});
