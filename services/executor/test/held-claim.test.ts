import { expect } from "chai";
import { splitClaim, HeldClaim } from "../controllers/action-claim.ts";

describe("HeldClaim", () => {
  const shown = (parts: Iterable<string>) => {
    const held = new HeldClaim();
    return Array.from(parts, (part) => held.push(part)).join("");
  };

  it("shows an answer without its last line YES or NO, however the text is cut", () => {
    for (const claim of ["YES", "no", "**Yes**", "__NO__", "  yes  \n"]) {
      const text = `One.\n\nyes, two\nno\nThree.\n\n${claim}`;
      expect(shown([text]), claim).to.equal(splitClaim(text).answer);
      expect(shown(text), claim).to.equal(splitClaim(text).answer);
    }
  });

  it("shows everything else of a text as soon as it cannot be that line", () => {
    for (const text of [
      "YES",
      "One\nno more",
      "One\n* yesterday",
      "One\n__init__",
      "a\nYES!",
      "One\n\n\nnoon",
    ]) {
      expect(shown(text), text).to.equal(text);
    }
    expect(new HeldClaim().push("Yes")).to.equal("Yes");
  });
});
