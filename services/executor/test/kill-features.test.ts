import { expect } from "chai";
import { FEATURES, samplePoints } from "./features/sampled-points.ts";
import { runToEnd, type Feature, type FeatureLab } from "./features/feature.ts";
import { RunFixture } from "./run-fixture.ts";
import { brokenEvents, differences, sessionRows } from "./session-rows.ts";
import { ToolRunnerFixture } from "./tool-runner-fixture.ts";
import { installWritePoints, type WritePoints } from "./write-points.ts";

describe("a session whose executor dies after a write, and dies again", function () {
  this.timeout(900_000);
  const resources = new AsyncDisposableStack();
  const sample = samplePoints();
  let lab: FeatureLab;
  let points: WritePoints;

  before(async () => {
    const runs = resources.use(await RunFixture.start({ others: ["second", "third"] }));
    points = await installWritePoints(runs.executor);
    lab = { runs, points, tools: resources.use(await ToolRunnerFixture.start(runs.executor.servers)) };
  });
  after(() => resources.disposeAsync());

  /** A session that nothing disturbs: its rows and the kinds of its writes. */
  const undisturbed = async (feature: Feature) => {
    const called = await lab.tools.calls();
    const id = await feature.start(lab);
    await points.record(id);
    expect(await runToEnd(lab, feature, id)).to.equal(feature.end ?? "completed");
    await feature.always?.(lab, id);
    const rows = await sessionRows(lab.runs.executor, id);
    if (feature.toolCalls !== undefined) expect(await lab.tools.calls()).to.equal(called + feature.toolCalls);
    await feature.forget?.(lab, id);
    return { rows, kinds: await points.kinds(id) };
  };

  /** Kills the owner of a session after its nth write; the next owner of every other session dies, too. */
  const killed = async (feature: Feature, write: number) => {
    const called = await lab.tools.calls();
    const id = await feature.start(lab);
    await points.kill(id, write);
    let atDeath: unknown;
    let deaths = 0;
    const end = await runToEnd(lab, feature, id, async (death) => {
      deaths = death;
      await feature.afterEachDeath?.(lab);
      if (death > 1) return;
      atDeath = await feature.afterDeath?.(lab, id);
      if (write % 2 === 0) await points.kill(id, 1 + (write % 3));
    });
    expect([feature.end ?? "completed", ...(feature.mayFail === true ? ["failed"] : [])]).to.include(end);
    expect(await brokenEvents(lab.runs.executor, id)).to.deep.equal([]);
    if (feature.toolCalls !== undefined) expect(await lab.tools.calls()).to.equal(called + feature.toolCalls);
    await feature.expects?.(lab, id, atDeath);
    await feature.always?.(lab, id);
    const rows = await sessionRows(lab.runs.executor, id);
    await feature.forget?.(lab, id);
    return { rows, deaths };
  };

  for (const feature of FEATURES) {
    const what = feature.expects === undefined ? "ends with the same rows" : "keeps its promise";
    it(`${what}: ${feature.name}`, async () => {
      const { rows, kinds } = await undisturbed(feature);
      let died = 0;
      for (const write of sample(kinds)) {
        const where = `after write ${write}: ${kinds[write - 1]}`;
        try {
          const found = await killed(feature, write);
          if (feature.expects === undefined) expect(differences(rows, found.rows)).to.deep.equal([]);
          died += found.deaths;
        } catch (error) {
          if (error instanceof Error) error.message = `${where}: ${error.message}`;
          throw error;
        }
      }
      // Steps that are committed together make fewer writes, so that the last ones may not be reached.
      expect(died, "deaths").to.be.greaterThan(0);
    });
  }
});
