import { expect } from "chai";
import { changeConfig } from "../../../test/support/change-config.ts";
import { RunFixture } from "./run-fixture.ts";

/** The rows of these tests are what a process of another version stores. */
describe("a session of another version", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("is left to newer executors if its configuration is newer, and costs no attempt", async () => {
    await fixture.play({ steps: [{ text: "done" }] });
    const id = await fixture.executor.insert();
    await changeConfig(fixture.executor, id, `config || '{"version": 99}'`);
    expect(await fixture.run(id)).to.equal("deferred");
    expect(await fixture.executor.row("alert_sessions", "status::text", id)).to.deep.equal({
      status: "in_progress",
    });
    const columns = "lease_owner, attempts, interruptions, not_before > now() AS later";
    const runtime = await fixture.executor.row("session_runtime", columns, id);
    expect(runtime).to.deep.equal({ lease_owner: null, attempts: 0, interruptions: 0, later: true });
    await fixture.executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [id]);
    await changeConfig(fixture.executor, id, `config || '{"version": 1}'`);
    expect(await fixture.run(id)).to.equal("completed");
  });
});
