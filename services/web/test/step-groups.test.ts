import { expect } from "chai";
import { stepGroups } from "../screens/compare/step-groups.ts";

/** `=` for an equal step, `x` for one that differs. */
const groupsOf = (steps: string) =>
  stepGroups(steps.split("").map((mark) => ({ equal: mark === "=" }))).map((group) =>
    group.kind === "step" ? group.first : `${group.first}+${group.steps.length}`,
  );

describe("stepGroups", () => {
  it("joins runs of equal steps, wherever they are", () => {
    expect(groupsOf("====x===xx====")).to.deep.equal(["0+4", 4, "5+3", 8, 9, "10+4"]);
  });

  it("leaves short runs as they are", () => {
    expect(groupsOf("==x=")).to.deep.equal([0, 1, 2, 3]);
  });

  it("has nothing to group where there are no steps", () => {
    expect(groupsOf("")).to.deep.equal([]);
  });
});
