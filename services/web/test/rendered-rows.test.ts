import { expect } from "chai";
import { DEFAULT_OPEN, setOpen } from "../session/open-entries.ts";
import { NO_ROWS, renderedRows, rowsNear } from "../session/rendered-rows.ts";
import { RowHeights } from "../session/row-heights.ts";
import { RowPool } from "../session/row-pool.ts";
import { RowTops } from "../session/row-tops.ts";
import { exampleEntry } from "./example-entry.ts";

describe("the rows of a lane that exist", () => {
  const tops = new RowTops(Array.from({ length: 1_000 }, () => 30));

  it("are found by their heights", () => {
    const uneven = new RowTops([10, 0, 100, 10]);
    expect([0, 1, 2, 3, 4, 9].map((index) => uneven.topOf(index))).to.deep.equal([0, 10, 10, 110, 120, 120]);
    expect([-5, 0, 9, 10, 109, 110, 119, 120].map((y) => uneven.rowAt(y))).to.deep.equal([
      0, 0, 0, 2, 2, 3, 3, 4,
    ]);
  });

  it("are those near the view, wherever that is", () => {
    for (const viewTop of [-500, -100, 0, 1, 5_000, 29_000, 29_999]) {
      const { from, to } = rowsNear(tops, viewTop, 900);
      expect(tops.topOf(from), `from at ${viewTop}`).to.be.at.most(Math.max(0, viewTop));
      expect(tops.topOf(to), `to at ${viewTop}`).to.be.at.least(Math.min(30_000, viewTop + 900));
      expect(to - from, `at ${viewTop}`).to.be.at.most(60);
    }
    for (const viewTop of [-2_000, 31_000]) expect(rowsNear(tops, viewTop, 900)).to.deep.equal(NO_ROWS);
    expect(rowsNear(new RowTops([]), 0, 900)).to.deep.equal(NO_ROWS);
  });

  it("are single ones beside them, in order and once", () => {
    const near = { from: 100, to: 140 };
    expect(renderedRows(near, [5, 120, 500, 5, -1], 1_000)).to.deep.equal([
      { from: 5, to: 6 },
      near,
      { from: 500, to: 501 },
    ]);
    expect(renderedRows(near, [200], 110)).to.deep.equal([{ from: 100, to: 110 }]);
    expect(renderedRows(near, [], 3)).to.deep.equal([]);
  });

  it("keep their places, and those that appear take the places of those that have gone", () => {
    const pool = new RowPool();
    expect([...pool.assign(["a", "b", "c"]).values()]).to.deep.equal([0, 1, 2]);
    expect([...pool.assign(["b", "c", "d"])]).to.deep.equal([
      ["b", 1],
      ["c", 2],
      ["d", 0],
    ]);
    expect([...pool.assign(["x", "y", "z", "w"]).values()]).to.deep.equal([1, 2, 0, 3]);
  });

  it("are as high as they were measured while they are open, and one line otherwise", () => {
    const heights = new RowHeights(34);
    const entries = ["a", "b"].map((id) => exampleEntry({ id }));
    const height = (rules = DEFAULT_OPEN) => heights.tops(entries, rules).topOf(2);
    expect(height()).to.equal(68);
    const opened = setOpen(DEFAULT_OPEN, "a", true);
    expect(height(opened)).to.be.greaterThan(68);
    heights.measure("a", 500);
    expect(height(opened)).to.equal(534);
    expect(height()).to.equal(68);
  });
});
