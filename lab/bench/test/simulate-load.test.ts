import { expect } from "chai";
import { simulateLoad } from "../scale/simulate-load.ts";

describe("the simulated load", () => {
  const load = { sessions: 1, slots: 1, servers: 1, workSeconds: 0.3, modelSeconds: 2 };

  it("takes the time of each session, one after the other in a single slot", () => {
    expect(simulateLoad(load)).to.be.closeTo(1 / 2.3, 1e-9);
    expect(simulateLoad({ ...load, sessions: 7 })).to.be.closeTo(1 / 2.3, 1e-9);
  });

  it("has a second session wait for a third of the first one's work", () => {
    const both = simulateLoad({ ...load, sessions: 2, slots: 2 });
    expect(both).to.be.closeTo(2 / (2.3 + 0.1), 1e-9);
    expect(simulateLoad({ ...load, sessions: 2, slots: 2, servers: 2 })).to.be.closeTo(2 / 2.3, 1e-9);
  });

  it("ends where all threads are busy", () => {
    for (const servers of [1, 2, 5]) {
      const busy = simulateLoad({ ...load, sessions: 5_000, slots: 500, servers, modelSeconds: 0 });
      expect(busy).to.be.closeTo(servers / 0.3, 0.01 * servers);
    }
    const waits = simulateLoad({ ...load, sessions: 5_000, slots: 100 });
    expect(waits).to.be.closeTo(1 / 0.3, 0.02);
  });

  it("fills every slot where the threads have time", () => {
    const full = simulateLoad({ sessions: 5_000, slots: 50, servers: 8, workSeconds: 0.01, modelSeconds: 2 });
    expect(full).to.be.closeTo(50 / 2.01, 0.2);
  });

  // Two cores without other load, 240 sessions, a model that takes 1 s for each of two answers.
  it("agrees with a measured run that it does not know, by the work in two that it knows", () => {
    const measured = [
      { executors: 1, perSecond: 9.6, coresUsed: 0.2 },
      { executors: 2, perSecond: 18.5, coresUsed: 0.32 },
    ];
    const work = measured.map(({ perSecond, coresUsed }) => (2 * coresUsed) / perSecond);
    const workSeconds = work.reduce((sum, one) => sum + one, 0) / work.length;
    const run = (executors: number) =>
      simulateLoad({ sessions: 240, slots: 20 * executors, servers: 2, workSeconds, modelSeconds: 2 });
    for (const { executors, perSecond } of measured) {
      expect(run(executors) / perSecond).to.be.within(0.95, 1.05);
    }
    expect(run(4) / 31.9).to.be.within(0.8, 1.2);
  });
});
