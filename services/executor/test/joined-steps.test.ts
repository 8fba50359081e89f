import { expect } from "chai";
import { TerminalError } from "#shared/errors.ts";
import { until } from "../../../test/support/until.ts";
import { closeSession } from "../persist/close-session.ts";
import { RunFixture } from "./run-fixture.ts";

/** Refuses changes of some sessions' rows in a table, until the session is taken off the list. */
const REFUSALS = `
CREATE TABLE refusals (session_id uuid, refused text);
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF EXISTS (SELECT FROM refusals WHERE session_id = NEW.session_id AND refused = TG_ARGV[0]) THEN
    RAISE EXCEPTION 'refused: %', TG_ARGV[0];
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_end BEFORE UPDATE ON stages FOR EACH ROW EXECUTE FUNCTION refuse('the end of a stage');
CREATE TRIGGER refuse_message BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION refuse('a message');`;

describe("steps that are committed together", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
    await fixture.executor.query(REFUSALS, []);
    await fixture.play({ steps: [{ text: "it was the memory" }] });
  });
  after(() => fixture[Symbol.asyncDispose]());

  const refuse = async (id: string, what: string) =>
    fixture.executor.query("INSERT INTO refusals VALUES ($1, $2)", [id, what]);
  const answers = async (id: string) =>
    fixture.executor.query(
      `SELECT (SELECT count(*)::int FROM llm_interactions WHERE session_id = $1 AND interaction_type = 'iteration') AS calls,
              (SELECT count(*)::int FROM timeline_events
               WHERE session_id = $1 AND event_type = 'final_analysis' AND status = 'completed') AS answers,
              (SELECT status FROM agent_executions WHERE session_id = $1) AS agent`,
      [id],
    );

  it("store the agent's answer if only the session's steps after it are refused", async () => {
    const id = await fixture.executor.insert();
    await refuse(id, "the end of a stage");
    expect(await fixture.run(id)).to.equal("deferred");
    expect(await answers(id)).to.deep.equal([{ calls: 1, answers: 1, agent: "completed" }]);
    await fixture.executor.query("DELETE FROM refusals WHERE session_id = $1", [id]);
    await fixture.executor.query("UPDATE session_runtime SET not_before = NULL WHERE session_id = $1", [id]);
    expect(await fixture.run(id)).to.equal("completed");
    expect(await answers(id)).to.deep.equal([{ calls: 1, answers: 1, agent: "completed" }]);
  });

  it("fail the agent and not the session's run if only the agent's first step is refused", async () => {
    const id = await fixture.executor.insert();
    await refuse(id, "a message");
    expect(await fixture.run(id)).to.equal("failed");
    const [session, stage, agent] = await fixture.outcomes(id);
    for (const row of [session, stage, agent]) {
      expect(row).to.deep.include({ status: "failed", error_code: "internal" });
      expect(row).to.have.property("error_message").that.includes("refused: a message");
    }
  });

  it("are seen by the end of a session that comes while one of them is still being committed", async () => {
    const { executor } = fixture;
    const id = await executor.insert();
    await using session = await executor.own(id);
    let closing: Promise<unknown> = Promise.resolve();
    await executor.db.transaction(async (transaction) => {
      await transaction.query("UPDATE session_runtime SET total_stages = 1 WHERE session_id = $1", [id]);
      await transaction.query(
        `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count, status, started_at)
         VALUES (gen_random_uuid(), $1, 'late', 1, 1, 'active', now())`,
        [id],
      );
      closing = closeSession(session, "timed_out", new TerminalError("session_deadline", "too late"));
      await until("the end waits for the commit", async () => {
        const waiting = await executor.query(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%session_runtime%' AND datname = current_database()",
          [],
        );
        return waiting.length > 0;
      });
    });
    expect(await closing).to.equal("timed_out");
    expect(await fixture.outcomes(id)).to.deep.equal(
      Array.from({ length: 2 }, () => ({
        status: "timed_out",
        error_code: "session_deadline",
        error_message: "too late",
      })),
    );
  });
});
