import { expect } from "chai";
import { ChunkPacer } from "../feed/chunk-pacer.ts";

describe("ChunkPacer", () => {
  it("calls each flush once per round, at the end of the same turn when idle", async () => {
    const pacer = new ChunkPacer({ now: () => 0 });
    const calls: string[] = [];
    const [a, b] = [() => void calls.push("a"), () => void calls.push("b")];
    for (const flush of [a, b, a, a]) pacer.schedule(flush);
    expect(calls).to.deep.equal([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).to.deep.equal(["a", "b"]);
  });

  it("pauses after a round for as long as the round took, at most 250 ms", async () => {
    for (const [tookMs, pauseMs] of [
      [30, 30],
      [5_000, 250],
    ] as const) {
      let time = 0;
      const pauses: number[] = [];
      const later = (round: () => void, ms: number) => {
        pauses.push(ms);
        setImmediate(round);
      };
      const pacer = new ChunkPacer({ now: () => time, later });
      await new Promise<void>((resolve) =>
        pacer.schedule(() => {
          time += tookMs;
          resolve();
        }),
      );
      await new Promise<void>((resolve) => pacer.schedule(resolve));
      expect(pauses).to.deep.equal([pauseMs]);
      time += 10_000;
      let flushed = false;
      pacer.schedule(() => (flushed = true));
      await new Promise((resolve) => setImmediate(resolve));
      expect(flushed).to.equal(true);
      expect(pauses).to.deep.equal([pauseMs]);
    }
  });
});
