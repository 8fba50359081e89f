import { expect } from "chai";
import { ListMemory } from "../sessions/list-memory.ts";

describe("ListMemory", () => {
  const never = new Promise<never>(() => undefined);

  it("keeps the sample of a long list, and reads that of a whole list each time", async () => {
    const memory = new ListMemory();
    let reads = 0;
    const read = (walked: number) => async () => {
      reads += 1;
      return Promise.resolve({ hits: reads, walked });
    };
    for (const [list, walked, hits] of [
      ["long", 200, 1],
      ["long", 200, 1],
      ["other", 200, 2],
      ["short", 199, 3],
      ["short", 199, 4],
    ] as const) {
      expect(await memory.sample(list, 200, read(walked)), list).to.deep.equal({ hits, walked });
    }
  });

  it("counts a list once for all requests, and lets a slow count go on", async () => {
    const memory = new ListMemory(1);
    const slow = Promise.withResolvers<number>();
    let counts = 0;
    const count = async () => {
      counts += 1;
      return slow.promise;
    };
    expect(memory.isCounted("list")).to.equal(false);
    const both = [memory.total("list", count), memory.total("list", count)];
    expect(await Promise.all(both)).to.deep.equal([undefined, undefined]);
    expect(memory.isCounted("list")).to.equal(true);
    slow.resolve(7);
    await slow.promise;
    expect(await memory.total("list", count)).to.equal(7);
    expect(counts).to.equal(1);
  });

  it("says of a count that failed that it is unknown, and does not count again at once", async () => {
    const memory = new ListMemory();
    const fail = async () => Promise.reject(new Error("too slow"));
    expect(await memory.total("list", fail)).to.equal(undefined);
    expect(await memory.total("list", async () => Promise.resolve(1))).to.equal(undefined);
  });

  it("counts two lists at a time", async () => {
    const memory = new ListMemory(1);
    const count = async () => never;
    for (const list of ["a", "b", "c"]) expect(await memory.total(list, count)).to.equal(undefined);
    expect(["a", "b", "c"].map((list) => memory.isCounted(list))).to.deep.equal([true, true, false]);
  });
});
