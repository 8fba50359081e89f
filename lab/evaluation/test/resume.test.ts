import { expect } from "chai";
import { NIGHTLY, repetitions } from "../../../test/support/nightly.ts";
import { until } from "../../../test/support/until.ts";
import { EvalFixture, SCRIPTS } from "./eval-fixture.ts";
import { makeCassette } from "./make-cassette.ts";

const LIMIT_MS = 15 * 60_000;

const REPETITIONS = repetitions({ daily: 1, nightly: 2 });
/** Of three cassettes with two variants. */
const CELLS = 6 * REPETITIONS;

const create = async (...options: Parameters<typeof EvalFixture.create>) => {
  const fixture = await EvalFixture.create(...options);
  for (const name of ["disk", "memory", "network"]) {
    await fixture.addCassette(name, makeCassette({ alert: `${name} alert` }));
  }
  return fixture;
};

describe("tarsy eval that is ended", function evaluation() {
  // Each test starts several processes.
  this.timeout(LIMIT_MS);

  it("continues after a kill with the cells that are missing, and runs none twice", async () => {
    const slow = [
      { when: { call: 1 }, steps: [{ delay: "400ms" }, { text: "The log fills the disk." }] },
      SCRIPTS.bad[0],
    ];
    await using fixture = await create({ good: slow, bad: slow });
    await fixture.writeSuite({ parallel: 1, repetitions: REPETITIONS });
    const first = fixture.start();
    await until(
      "two cells are stored",
      async () => (await fixture.results().catch(() => [])).length >= 2,
      LIMIT_MS,
    );
    first.kill("SIGKILL");
    await first.ended;
    const before = await fixture.results();
    expect(before.length).to.be.lessThan(CELLS);
    // What a kill in the middle of a write leaves.
    await fixture.appendResults('{"key": "half');

    if (NIGHTLY) {
      const second = fixture.start();
      await until(
        "another cell is stored",
        async () => (await fixture.results().catch(() => [])).length > before.length,
        LIMIT_MS,
      );
      second.kill("SIGINT");
      const interrupted = await second.ended;
      expect(interrupted.code, interrupted.errors).to.equal(130);
      expect(await fixture.read("report.html")).to.contain("The run was interrupted");
    }

    const last = await fixture.run();
    expect(last.code, last.errors).to.equal(0);
    const after = await fixture.results();
    expect(after.slice(0, before.length)).to.deep.equal(before);
    expect(new Set(after.map(({ key }) => key)).size).to.equal(CELLS);
    expect(after).to.have.length(CELLS);
  });
});
