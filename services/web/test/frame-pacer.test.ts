import { expect } from "chai";
import { FramePacer } from "../session/frame-pacer.ts";

const FRAME_MS = 1_000 / 60;

/** For each of the frames, whether it shows text; one that does takes so long to draw. */
function frames(pacer: FramePacer, count: number, drawMs: number, from = 0) {
  let now = from;
  const shown = Array.from({ length: count }, () => {
    const shows = pacer.next(now);
    if (shows) pacer.shown(now);
    now += shows ? Math.max(FRAME_MS, drawMs) : FRAME_MS;
    return shows;
  });
  return { shown, now };
}

describe("FramePacer", () => {
  it("shows text in every frame that is drawn in time", () => {
    expect(frames(new FramePacer(), 100, 10).shown).to.not.include(false);
  });

  it("leaves out more and more frames while they come late, and then none again", () => {
    const pacer = new FramePacer();
    const slow = frames(pacer, 200, 50);
    const last = slow.shown.slice(-50);
    expect(last.filter(Boolean)).to.have.length(5);
    const fast = frames(pacer, 200, 10, slow.now);
    expect(fast.shown.slice(-50)).to.not.include(false);
  });

  it("does not take a time in which nothing arrived for a slow frame", () => {
    const pacer = new FramePacer();
    expect(pacer.next(0)).to.equal(true);
    pacer.shown(0);
    expect(pacer.isMeasuring).to.equal(true);
    // The frame that is asked for only to measure.
    expect(pacer.next(FRAME_MS)).to.equal(true);
    expect(pacer.isMeasuring).to.equal(false);
    expect(pacer.next(60_000)).to.equal(true);
  });
});
