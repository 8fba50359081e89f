import { expect } from "chai";
import { RunFixture } from "./run-fixture.ts";

const FAILURE = { error: { code: "provider_error", message: "try again", retryable: true } };

/** The rows of these tests are what a process of another version stores. */
describe("a session of another version", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const changeConfig = async (id: string, sql: string) =>
    fixture.executor.query(`UPDATE alert_sessions SET resolved_config = ${sql} WHERE session_id = $1`, [id]);

  it("is left to older executors if its stages count from 0", async () => {
    await fixture.play({ steps: [{ text: "done" }] });
    const id = await fixture.executor.insert();
    await changeConfig(
      id,
      `resolved_config || '{"version": 3}' || jsonb_build_object('stages', (resolved_config -> 'stages') - 0)`,
    );
    expect(await fixture.run(id)).to.equal("deferred");
    expect(await fixture.executor.query("SELECT 1 FROM stages WHERE session_id = $1", [id])).to.deep.equal(
      [],
    );
  });

  it("is left to newer executors if its configuration is newer, and costs no attempt", async () => {
    await fixture.play({ steps: [{ text: "done" }] });
    const id = await fixture.executor.insert();
    await changeConfig(id, `resolved_config || '{"version": 99}'`);
    expect(await fixture.run(id)).to.equal("deferred");
    expect(await fixture.executor.row("alert_sessions", "status::text", id)).to.deep.equal({
      status: "in_progress",
    });
    const columns = "lease_owner, attempts, interruptions, not_before > now() AS later";
    const runtime = await fixture.executor.row("session_runtime", columns, id);
    expect(runtime).to.deep.equal({ lease_owner: null, attempts: 0, interruptions: 0, later: true });
    await fixture.executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [id]);
    await changeConfig(id, `resolved_config || '{"version": 4}'`);
    expect(await fixture.run(id)).to.equal("completed");
  });

  it("continues if the stored state lacks what a newer version added to it", async () => {
    await fixture.play(
      {
        when: { last_contains: "try again" },
        steps: [{ text: "Thought: I know\nFinal Answer: a full disk" }],
      },
      { steps: [FAILURE] },
    );
    await fixture.executor.query(
      `CREATE FUNCTION as_before() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
         NEW.iteration_state = NEW.iteration_state - 'last_error_retryable' - 'consecutive_timeouts'; RETURN NEW;
       END $$;
       CREATE TRIGGER as_before BEFORE INSERT OR UPDATE ON agent_executions FOR EACH ROW EXECUTE FUNCTION as_before()`,
      [],
    );
    const id = await fixture.executor.insert({ strategy: "react" });
    expect(await fixture.run(id)).to.equal("completed");
    expect(await fixture.timelineRows(id)).to.deep.include({
      row: "error completed",
      content: "LLM error: try again (code: provider_error, retryable: true)",
    });
  });
});
