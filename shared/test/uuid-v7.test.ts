import { expect } from "chai";
import { validate, version } from "uuid";
import { uuidV7 } from "#shared/uuid-v7.ts";

describe("UUIDs of version 7", () => {
  it("are valid, all different, and rise within a millisecond and beyond the counter's range", () => {
    const before = Date.now();
    const ids = Array.from({ length: 20_000 }, uuidV7);
    for (const id of ids) expect(validate(id) && version(id) === 7, id).to.equal(true);
    expect(ids.toSorted()).to.deep.equal(ids);
    expect(new Set(ids.map((id) => id.slice(19)))).to.have.property("size", ids.length);
    const first = Number.parseInt((ids[0] ?? "").replace("-", "").slice(0, 12), 16);
    expect(first).to.be.within(before, Date.now());
  });
});
