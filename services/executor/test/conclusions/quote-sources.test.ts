import { expect } from "chai";
import { verifyQuotes } from "../../features/conclusions/verify-quotes.ts";

describe("verifyQuotes finds", () => {
  it("sources, by the names that models write", () => {
    const source = {
      id: "db agent#2/r3",
      kind: "result",
      text: "the disk is full",
      also: ["ABC-1"],
    } as const;
    const sources = [source, { id: "r7", kind: "result", text: "the disk is full" }] as const;
    const outcome = (name: string) => {
      const citation = {
        claim_id: "c1",
        list: "claim",
        source: name,
        lines: "",
        quote: "the disk is full",
      } as const;
      const [checked] = verifyQuotes([citation], sources);
      return checked?.source;
    };
    for (const name of ["r7", "[r7]", "R7", " r7 ", "call r7", "`r7`", "r7:", "result r7 (lines 3)"]) {
      expect(outcome(name), name).to.equal("r7");
    }
    for (const name of ["db agent#2/r3", "[DB Agent#2/r3]", "abc-1"]) {
      expect(outcome(name), name).to.equal("db agent#2/r3");
    }
    for (const name of ["", "r71", "r3", "r7 and abc-1", "r"]) expect(outcome(name), name).to.equal(null);
  });
});
