import { expect } from "chai";
import { lineParts, PART_UNITS } from "../screens/session/growing-text.ts";

describe("the parts of a text that grows", () => {
  it("are the whole text, however it is added", () => {
    const text = Array.from({ length: 2_000 }, (_, n) => `line ${n}${n % 7 === 0 ? "\n\n" : "\n"}`).join("");
    for (const size of [1, 7, 500, text.length]) {
      const parts = [""];
      for (let at = 0; at < text.length; at += size) {
        const [first = "", ...others] = lineParts(parts.at(-1)?.length ?? 0, text.slice(at, at + size));
        parts.push(`${parts.pop() ?? ""}${first}`, ...others);
      }
      expect(parts.join(""), `by ${size}`).to.equal(text);
      expect(Math.max(...parts.map(({ length }) => length))).to.be.at.most(PART_UNITS + 20);
      expect(parts.slice(0, -1).every((part) => part.endsWith("\n"))).to.equal(true);
    }
  });

  it("are one while there is no line break", () => {
    expect(lineParts(0, "x".repeat(10_000))).to.have.length(1);
    expect(lineParts(PART_UNITS, "a\nb")).to.deep.equal(["a\n", "b"]);
    expect(lineParts(0, "a\nb")).to.deep.equal(["a\nb"]);
  });
});
