import { expect } from "chai";
import { FrameMemory } from "../feed/frame-memory.ts";

describe("FrameMemory", () => {
  const start = (limitBytes: number) => {
    const memory = new FrameMemory(limitBytes);
    const evicted: string[] = [];
    const frames = (name: string) => ({ evict: () => void evicted.push(name) });
    return { memory, evicted, a: frames("a"), b: frames("b"), c: frames("c") };
  };

  it("drops what was not used for longest when the limit is exceeded", () => {
    const { memory, evicted, a, b, c } = start(100);
    memory.keep(a, 40);
    memory.keep(b, 40);
    memory.touch(a);
    memory.keep(c, 40);
    expect(evicted).to.deep.equal(["b"]);
    expect(memory.bytes).to.equal(80);
  });

  it("counts the newest size only, and nothing once released", () => {
    const { memory, evicted, a, b } = start(100);
    for (let bytes = 0; bytes <= 90; bytes += 10) memory.keep(a, bytes);
    memory.keep(b, 10);
    memory.release(a);
    memory.release(a);
    memory.touch(a);
    expect(memory.bytes).to.equal(10);
    expect(evicted).to.deep.equal([]);
  });

  it("keeps nothing that is larger than the limit", () => {
    const { memory, evicted, a } = start(100);
    memory.keep(a, 101);
    expect(evicted).to.deep.equal(["a"]);
    expect(memory.bytes).to.equal(0);
  });
});
