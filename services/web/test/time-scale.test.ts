import { expect } from "chai";
import { timeScale } from "../screens/trace/time-scale.ts";

const span = (start: number, end: number) => ({ start, end });
const HOUR = 3_600_000;

describe("timeScale(spans, options)", () => {
  it("lets positions grow evenly with the time", () => {
    const { position, gaps, ticks } = timeScale([span(1_000, 2_000), span(1_500, 5_000)], {
      collapsesIdle: true,
    });
    expect([1_000, 2_000, 5_000].map(position)).to.deep.equal([0, 0.25, 1]);
    expect(gaps).to.deep.equal([]);
    expect(ticks.map(({ ms }) => ms)).to.deep.equal([0, 1_000, 2_000, 3_000, 4_000]);
  });

  it("makes times short in which nothing runs, and keeps the order", () => {
    const spans = [span(0, 10_000), span(HOUR, HOUR + 10_000)];
    const { position, gaps } = timeScale(spans, { collapsesIdle: true });
    expect(gaps).to.have.length(1);
    expect(gaps[0]).to.include({ start: 10_000, end: HOUR });
    expect(position(10_000)).to.be.closeTo(0.4875, 1e-9);
    expect(position(HOUR)).to.be.closeTo(0.5125, 1e-9);
    expect(position(HOUR / 2)).to.be.within(position(10_000), position(HOUR));
    expect(timeScale(spans, { collapsesIdle: false }).position(10_000)).to.be.lessThan(0.003);
  });

  it("sees no idle time where a longer call goes on", () => {
    const spans = [span(0, 10_000), span(1_000, 2_000), span(13_000, 14_000)];
    const { gaps } = timeScale(spans, { collapsesIdle: true });
    expect(gaps.map(({ start, end }) => [start, end])).to.deep.equal([[10_000, 13_000]]);
  });

  it("leaves most of the axis to what ran, however many idle times there are", () => {
    const spans = Array.from({ length: 1_000 }, (_, index) => span(index * HOUR, index * HOUR + 1_000));
    const { position } = timeScale(spans, { collapsesIdle: true });
    const busy = spans.reduce((sum, { start, end }) => sum + position(end) - position(start), 0);
    expect(busy).to.be.closeTo(0.6, 1e-6);
  });

  it("never runs backwards, for any spans", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      let state = seed;
      const random = (max: number) => {
        state = (state * 48_271) % 2_147_483_647;
        return state % max;
      };
      const spans = Array.from({ length: 1 + random(30) }, () => {
        const start = random(random(2) === 0 ? 10_000 : HOUR);
        return span(start, start + random(5_000));
      });
      const { position } = timeScale(spans, { collapsesIdle: true });
      const times = spans.flatMap(({ start, end }) => [start, end]).sort((a, b) => a - b);
      let last = 0;
      for (const time of times) {
        expect(position(time), `seed ${seed}`).to.be.within(last, 1 + 1e-9);
        last = position(time);
      }
    }
  });

  it("has an axis without spans and for one instant", () => {
    expect(timeScale([], { collapsesIdle: true }).position(5)).to.equal(0);
    const { position, ticks } = timeScale([span(5, 5)], { collapsesIdle: true });
    expect(position(5)).to.equal(0);
    expect(ticks.every(({ ms }) => ms === 0)).to.equal(true);
  });
});
