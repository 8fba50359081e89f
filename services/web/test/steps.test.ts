import { expect } from "chai";
import { endBefore, endOfStep, nextEnd } from "../session/steps.ts";

/** Three steps, with the events 1, 2 to 4 and 6; the page does not know event 5. */
const EVENTS = [
  { seq: 1, timestamp: "a" },
  { seq: 2, timestamp: "b" },
  { seq: 3, timestamp: "b" },
  { seq: 4, timestamp: "b" },
  { seq: 6, timestamp: "c" },
];

describe("steps", () => {
  it("end with the last event of their commit", () => {
    const ends = [1, 2, 3, 4, 5, 6, 7].map((seq) => endOfStep(EVENTS, seq));
    expect(ends).to.deep.equal([1, 4, 4, 4, 5, 6, 7]);
  });

  it("lead back to the end of the step before", () => {
    const before = [1, 2, 4, 6].map((seq) => endBefore(EVENTS, seq));
    expect(before).to.deep.equal([undefined, 1, 1, 4]);
  });

  it("lead forward to the end of this step, then of the next", () => {
    const next = [0, 1, 2, 4, 6].map((seq) => nextEnd(EVENTS, seq));
    expect(next).to.deep.equal([1, 4, 4, 6, undefined]);
  });

  it("are none where there are no events", () => {
    expect([endOfStep([], 3), endBefore([], 3), nextEnd([], 3)]).to.deep.equal([3, undefined, undefined]);
  });
});
