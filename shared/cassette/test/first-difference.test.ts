import { expect } from "chai";
import { firstDifference } from "../first-difference.ts";

describe("firstDifference", () => {
  for (const [left, right, expected] of [
    [{ a: [1, { b: "x" }] }, { a: [1, { b: "x" }] }, null],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, null],
    [{ a: [1, { b: "x" }] }, { a: [1, { b: "y" }] }, { pointer: "/a/1/b", left: "x", right: "y" }],
    [
      { b: 1, a: 1 },
      { b: 2, a: 2 },
      { pointer: "/a", left: 1, right: 2 },
    ],
    [[1], [1, 2], { pointer: "/1", left: undefined, right: 2 }],
    [{ "a/b~": 1 }, {}, { pointer: "/a~1b~0", left: 1, right: undefined }],
    [[], {}, { pointer: "", left: [], right: {} }],
    [null, {}, { pointer: "", left: null, right: {} }],
  ] as const) {
    it(`of ${JSON.stringify(left)} and ${JSON.stringify(right)} is ${JSON.stringify(expected)}`, () => {
      expect(firstDifference(left, right)).to.deep.equal(expected);
    });
  }
});
