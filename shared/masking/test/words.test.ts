import { expect } from "chai";
import { Words } from "#shared/masking/words.ts";

describe("words that a text may have", () => {
  it("are found in any case, at both ends, and only where one occurs as a whole", () => {
    const words = new Words("bearer", "$1$", "@", "-u");
    for (const text of ["bearer", "x BEARER", "Bearer x", "a$1$", "a@b", "@", "tar -u"]) {
      expect(words.test(text), text).to.equal(true);
    }
    // The first one has the same trigrams: a digit shares its bits with a letter.
    for (const text of ["beare2", "beare earer", "", "b", "$2$", "plain"]) {
      expect(words.test(text), text).to.equal(false);
    }
  });

  it("are found in each of many texts, asked in turn", () => {
    const [odd, even] = [new Words("odd-word"), new Words("even-word")];
    for (let index = 0; index < 1_000; index += 1) {
      const text = `text ${index} with an ${index % 2 === 0 ? "even" : "odd"}-word`;
      expect([odd.test(text), even.test(text)]).to.deep.equal(
        index % 2 === 0 ? [false, true] : [true, false],
      );
    }
  });
});
