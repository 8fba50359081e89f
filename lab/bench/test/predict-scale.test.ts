import { expect } from "chai";
import { predictScale, type SessionCosts } from "../scale/predict-scale.ts";
import { readRun } from "../scale.ts";

/** Half a core-second of the executor for a session, a quarter of Postgres, and nothing else. */
const COSTS: SessionCosts = {
  cpuMs: {
    api: 0,
    executor: 500,
    "llm-gateway": 0,
    "tool-runner": 0,
    notifier: 0,
    NATS: 0,
    Postgres: 250,
    client: 0,
  },
  commits: 6,
  walKb: 50,
};

const NONE = { running: {}, executor: {} };

describe("the prediction of many executors", () => {
  it("has as many sessions as fit while they wait for models, and what these need", () => {
    const found = predictScale(COSTS, { executors: 10, slots: 1, modelSeconds: 99.5 }, NONE);
    expect(found.perSecond).to.be.closeTo(0.1, 0.001);
    expect(found.commitsPerSecond).to.be.closeTo(0.6, 0.01);
    expect(found.walMbPerSecond).to.be.closeTo(0.005, 0.0001);
    expect(found.needed).to.include({ Postgres: 1, api: 0 });
    expect(found.connections).to.equal(50);
    expect(found.coresUsed).to.equal(undefined);
  });

  it("ends where every executor is busy", () => {
    const found = predictScale(COSTS, { executors: 4, slots: 100, modelSeconds: 1 }, NONE);
    expect(found.perSecond).to.be.closeTo(8, 0.01);
    // 8 sessions a second with 250 ms each, of cores that are used to 70 %.
    expect(found.needed.Postgres).to.equal(3);
  });

  it("ends where the shared cores are busy", () => {
    const found = predictScale(COSTS, { executors: 4, slots: 100, modelSeconds: 1, sharedCores: 2 }, NONE);
    expect(found.perSecond).to.be.closeTo(2 / 0.75, 0.01);
    expect(found.coresUsed).to.be.closeTo(1, 0.01);
  });

  it("adds what sessions cost by their time", () => {
    const overheads = { running: { Postgres: 2 }, executor: { Postgres: 30 } };
    const plan = { executors: 4, slots: 10, modelSeconds: 5 };
    // 250 ms, 5 s of 2 ms and of a tenth of 30 ms.
    expect(predictScale(COSTS, plan, overheads).cpuMs.Postgres).to.be.closeTo(250 + 10 + 15, 1e-9);
  });

  it("refuses figures that are not those of smoke", () => {
    expect(() => readRun("{}")).to.throw("figures of smoke");
  });
});
