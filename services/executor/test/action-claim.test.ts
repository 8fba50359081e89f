import { expect } from "chai";
import { splitClaim } from "../controllers/action-claim.ts";
import { expectLinear } from "../../../test/support/expect-linear.ts";

describe("splitClaim", () => {
  it("takes the last line off, in any case and in bold, with the white space around it", () => {
    for (const line of ["YES", "yes", "  Yes \n\n", "**YES**", "__yes__", "YES\r\n"]) {
      expect(splitClaim(`The report.\r\n\n${line}`)).to.deep.equal({ answer: "The report.", claim: true });
    }
    expect(splitClaim("The report.\n**no**")).to.deep.equal({ answer: "The report.", claim: false });
  });

  it("leaves an answer alone whose last line says something else", () => {
    for (const text of [
      "The report.\nYES, twice",
      "YES\nThe report.",
      "The report: NO",
      "a\n**YES",
      "",
      "\n",
    ]) {
      expect(splitClaim(text)).to.deep.equal({ answer: text, claim: null });
    }
  });

  it("keeps an answer of nothing else, and understands it", () => {
    expect(splitClaim("NO\n")).to.deep.equal({ answer: "NO\n", claim: false });
  });

  it("takes time that grows with the text only", () => {
    expectLinear("blank lines", {
      size: 4_000,
      textOf: (size) => `${" \n".repeat(size / 2)}x`,
      work: (text) => expect(splitClaim(text).claim).to.equal(null),
    });
  });
});
