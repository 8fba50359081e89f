import { expect } from "chai";
import { assertDoneOnce } from "../versus/exactly-once.ts";
import { HandlerStarts } from "../versus/handler-starts.ts";

describe("assertDoneOnce", () => {
  const accepted = new Set(["a", "b"]);

  it("accepts units that were done once each", () => {
    const times = new Map([...accepted].map((id) => [id, 1]));
    expect(() => assertDoneOnce(accepted, times, "x")).not.to.throw();
  });

  const wrong: [string, [string, number][], string][] = [
    ["a unit that was not done", [["a", 1]], "1 lost (b)"],
    ["a unit that is stored but not done", [["a", 1], ["b", 0]], "1 lost (b)"], // prettier-ignore
    ["a unit that was done twice", [["a", 2], ["b", 1]], "1 done more than once (a)"], // prettier-ignore
    ["a unit that was not submitted", [["a", 1], ["b", 1], ["c", 1]], "1 never accepted (c)"], // prettier-ignore
  ];
  for (const [what, times, message] of wrong) {
    it(`names ${what}`, () => {
      expect(() => assertDoneOnce(accepted, new Map(times), "x")).to.throw(message);
    });
  }
});

describe("HandlerStarts", () => {
  it("gives the delay of each unit in milliseconds", () => {
    const starts = new HandlerStarts();
    starts.add("a", 3_000_000);
    expect(starts.delaysMs(new Map([["a", 1_000_000]]), "x")).to.deep.equal([2]);
  });

  it("throws for a handler that did not start or started twice", () => {
    const starts = new HandlerStarts();
    expect(() => starts.delaysMs(new Map([["a", 1]]), "x")).to.throw("of a started 0 times");
    starts.add("a", 2);
    starts.add("a", 3);
    expect(() => starts.delaysMs(new Map([["a", 1]]), "x")).to.throw("of a started 2 times");
  });
});
