import { expect } from "chai";
import { joinParts } from "../result-text.ts";

const text = (part: string) => ({ type: "text", text: part }) as const;

describe("joinParts", () => {
  it("joins parts by newlines and tells where these are", () => {
    const { text: joined, seams } = joinParts({
      content: [text("one\ntwo"), text(""), text("3"), text("4")],
    });
    expect(joined).to.equal("one\ntwo\n3\n4");
    expect(seams).to.deep.equal([7, 9]);
  });

  it("has no seam in a result of one part, or of none", () => {
    expect(joinParts({ content: [text("one\ntwo")] }).seams).to.deep.equal([]);
    expect(joinParts({ content: [] })).to.deep.equal({ text: "(empty result)", seams: [] });
  });
});
