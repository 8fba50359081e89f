import { expect } from "chai";
import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";
import { chooseLane, needsCount } from "../choose-lane.ts";

const choose = (
  places: number,
  waiting: readonly SessionLane[],
  counts: Partial<Record<SessionLane, number>> = {},
  recentStarts: readonly SessionLane[] = [],
) => {
  const load = {
    places,
    waiting: new Set(waiting),
    running: new Set(SESSION_LANES.filter((lane) => (counts[lane] ?? 0) > 0)),
    recentStarts,
  };
  const running = SESSION_LANES.reduce((sum, lane) => sum + (counts[lane] ?? 0), 0);
  return chooseLane({ ...load, inUse: needsCount(load) ? running : 0 });
};
const C = "critical";
const N = "normal";
const L = "low";

describe("chooseLane", () => {
  it("chooses the highest lane that waits, and none if none does", () => {
    expect(choose(5, [])).to.equal(null);
    expect(choose(5, [L])).to.equal(L);
    expect(choose(5, [L, N])).to.equal(N);
    expect(choose(5, [L, N, C])).to.equal(C);
    expect(choose(5, [L, C], { critical: 3 })).to.equal(C);
  });

  it("keeps one of at least three places for each lane that waits, the highest first", () => {
    expect(choose(3, [C, N, L], { critical: 1 })).to.equal(N);
    expect(choose(3, [C, N, L], { critical: 1, normal: 1 })).to.equal(L);
    expect(choose(3, [C, N, L], { critical: 1, low: 1 })).to.equal(N);
    expect(choose(3, [C, N, L], { critical: 1, normal: 1, low: 0 })).to.equal(L);
    expect(choose(5, [C, L], { critical: 4 })).to.equal(L);
    expect(choose(5, [N, L], { critical: 2, normal: 2 })).to.equal(L);
    // A critical session is not the one that waits until the others have their share.
    expect(choose(5, [C, L], { normal: 4 })).to.equal(C);
    // More sessions than places run while a limit was lowered.
    expect(choose(3, [C, L], { critical: 5 })).to.equal(L);
    expect(choose(5, [C, N, L], { critical: 2, normal: 1, low: 1 })).to.equal(C);
  });

  it("gives every fourth start to a lower lane where there are fewer places", () => {
    for (const places of [1, 2]) {
      expect(choose(places, [C, N], {}, [])).to.equal(C);
      expect(choose(places, [C, N], {}, [C, C])).to.equal(C);
      expect(choose(places, [C, N], {}, [C, C, C])).to.equal(N);
      expect(choose(places, [C, N], {}, [N, C, C, C])).to.equal(C);
      expect(choose(places, [N, L], {}, [C, N, N])).to.equal(L);
      expect(choose(places, [C], {}, [C, C, C])).to.equal(C);
    }
  });

  it("starves no lane with one place: all three go on when each has a backlog", () => {
    const starts: SessionLane[] = [];
    for (let n = 0; n < 24; n++) {
      starts.unshift(choose(1, [C, N, L], {}, starts.slice(0, 7)) ?? C);
    }
    const count = (lane: SessionLane) => starts.filter((one) => one === lane).length;
    expect([count(C), count(N), count(L)]).to.deep.equal([18, 3, 3]);
  });
});
