import { expect } from "chai";
import { wordDiff } from "../screens/compare/word-diff.ts";

describe("wordDiff", () => {
  it("tells the words that both texts have from those of one", () => {
    expect(wordDiff("the disk is full", "the memory is full")).to.deep.equal([
      { text: "the ", side: "both" },
      { text: "disk", side: "a" },
      { text: "memory", side: "b" },
      { text: " is full", side: "both" },
    ]);
  });

  it("keeps spaces and line ends", () => {
    const parts = wordDiff("a  b\n", "a b\n");
    const textOf = (other: "a" | "b") =>
      parts
        .filter(({ side }) => side !== other)
        .map(({ text }) => text)
        .join("");
    expect([textOf("b"), textOf("a")]).to.deep.equal(["a  b\n", "a b\n"]);
  });

  it("gives up on texts that have nothing in common", () => {
    const words = (letter: string) => Array.from({ length: 3_000 }, (_, n) => `${letter}${n}`).join(" ");
    const [a, b] = [words("a"), words("b")];
    expect(wordDiff(a, b)).to.deep.equal([
      { text: a, side: "a" },
      { text: b, side: "b" },
    ]);
  });
});
