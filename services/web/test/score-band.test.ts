import { expect } from "chai";
import { scoreBand } from "../session/score-band.ts";

describe("scoreBand(score)", () => {
  it("has the bounds that the judge is given", () => {
    expect([0, 34, 35, 59, 60, 100].map(scoreBand)).to.deep.equal([
      "wrong",
      "wrong",
      "partly",
      "partly",
      "right",
      "right",
    ]);
  });
});
