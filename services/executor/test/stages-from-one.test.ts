import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { StagesFromOne0000000000021 } from "#shared/database/migrations/0021-stages-from-one.ts";
import { openForMigrations } from "#shared/database/open-orm.ts";
import { until } from "../../../test/support/until.ts";
import { NUMBERS } from "../../../test/support/stage-numbers.ts";
import { RunFixture } from "./run-fixture.ts";

const SCRIPT = [
  { when: { contains: "You are Three" }, steps: [{ hang: true }] },
  { when: { contains: "Bring the results" }, steps: [{ text: "both agree" }] },
  { steps: [{ text: "found it" }] },
];
const CHAIN = { stages: [["One", "Two"], ["Three"], ["Four"]] };
const parseEpoch = compileParser("epoch", Type.Object({ lease_epoch: Type.Integer() }));

/** Sessions of the version before count their stages from 0. */
describe("a session that an executor of the version before has begun", () => {
  let fixture: RunFixture;
  let owner: Awaited<ReturnType<typeof openForMigrations>>;

  before(async () => {
    fixture = await RunFixture.start({ ownServers: true });
    owner = await openForMigrations(fixture.executor.servers.postgres.url, fixture.executor.deps.log);
  });
  after(async () => {
    await owner.destroy();
    await fixture[Symbol.asyncDispose]();
  });

  const migrate = async (direction: "up" | "down") => {
    const runner = owner.createQueryRunner();
    await runner.startTransaction();
    await new StagesFromOne0000000000021()[direction](runner);
    await runner.commitTransaction();
    await runner.release();
  };
  const numbers = async (id: string) => (await fixture.executor.query(NUMBERS, [id]))[0];
  const epoch = async (id: string) =>
    parseEpoch(await fixture.executor.row("session_runtime", "lease_epoch", id)).lease_epoch;

  it("is taken from it and continued with the right stage, with stages counted from 1", async () => {
    await fixture.play(...SCRIPT);
    const id = await fixture.executor.insert(CHAIN);
    const run = await fixture.begin(id);
    await until("the second stage runs", async () => {
      const [row] = await fixture.executor.query(
        "SELECT 1 FROM agent_executions WHERE session_id = $1 AND agent_name = 'Three' AND status = 'active'",
        [id],
      );
      return row !== undefined;
    });
    const before = { stages: "1 2", current: 2, events: "1 2", progress: "1 2" };
    expect(await numbers(id)).to.deep.equal(before);

    await migrate("down");
    expect(await numbers(id)).to.deep.equal({ stages: "0 1", current: 1, events: "0 1", progress: "0 1" });
    expect(await fixture.executor.tryClaim(id)).to.equal("claimed");
    const claimed = await epoch(id);
    await migrate("up");
    expect(await epoch(id)).to.equal(claimed + 1);
    expect(await numbers(id)).to.deep.equal(before);
    // The former owner has lost its lease.
    run.abort.abort();
    expect(await run.end).to.not.equal("completed");

    await fixture.play(...SCRIPT.slice(1));
    expect(await fixture.run(id)).to.equal("completed");
    expect(await numbers(id)).to.deep.equal({
      stages: "1 2 3",
      current: 3,
      events: "1 2 3",
      progress: "1 2 3",
    });
    expect(
      await fixture.executor.query(
        `SELECT agent_name AS name, stage_index AS stage FROM agent_executions e JOIN stages USING (stage_id)
         WHERE e.session_id = $1 ORDER BY stage_index, agent_index`,
        [id],
      ),
    ).to.deep.equal([
      { name: "One", stage: 1 },
      { name: "Two", stage: 1 },
      { name: "SynthesisAgent", stage: 1 },
      { name: "Three", stage: 2 },
      { name: "Four", stage: 3 },
    ]);
  });
});
