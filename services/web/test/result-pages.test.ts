import { expect } from "chai";
import { findAll, pageAt, pageStarts, PAGE_UNITS } from "../session/result-pages.ts";

describe("the pages of a long result", () => {
  const pagesOf = (text: string) => {
    const starts = pageStarts(text);
    return starts.map((start, page) => text.slice(start, starts[page + 1]));
  };

  it("are the whole text, each of at most 64 Ki code units", () => {
    for (const text of ["", "short", "x".repeat(PAGE_UNITS), "line\n".repeat(50_000), "💾".repeat(100_000)]) {
      const pages = pagesOf(text);
      expect(pages.join("")).to.equal(text);
      for (const page of pages) expect(page.length).to.be.at.most(PAGE_UNITS);
    }
  });

  it("end at a line break where one is near", () => {
    for (const page of pagesOf("some line\n".repeat(20_000)).slice(0, -1)) expect(page.at(-1)).to.equal("\n");
  });

  it("split no character of a text without line breaks", () => {
    for (const page of pagesOf(`a${"💾".repeat(100_000)}`)) expect(page.isWellFormed()).to.equal(true);
  });

  it("are found by the offset of a word in any case", () => {
    const text = `${"x".repeat(PAGE_UNITS)} Needle ${"y".repeat(PAGE_UNITS)} needle`;
    const starts = pageStarts(text);
    const found = findAll(text, "nEEdle");
    expect(found).to.have.length(2);
    expect(found.map((at) => pageAt(starts, at))).to.deep.equal([1, 2]);
  });

  it("are searched at the right offsets where lower case is longer", () => {
    expect(findAll("İİ abc", "abc")).to.deep.equal([3]);
  });

  it("have no place of an empty word", () => {
    expect(findAll("text", "")).to.deep.equal([]);
  });
});
