import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

const config = {
  tarsy: {
    defaults: { llm_provider: "scripted", alert_type: "test", memory: { enabled: true } },
    agents: { TestAgent: { mcp_servers: [] } },
    agent_chains: {
      "test-chain": { alert_types: ["test"], stages: [{ name: "look", agents: [{ name: "TestAgent" }] }] },
    },
  },
};

describe("feedback that sessions are learned from", () => {
  let api: ApiFixture;
  before(async () => {
    api = await ApiFixture.start({ config });
    // Two replicas.
    api.sweep(20);
    api.sweep(20);
  });
  after(() => api[Symbol.asyncDispose]());

  const say = async (id: string, investigation_feedback: string) => {
    const body = {
      session_ids: [id],
      action: "complete",
      quality_rating: "accurate",
      investigation_feedback,
    };
    const { text } = await api.raw("PATCH", "/api/v1/sessions/review", {
      body: Buffer.from(JSON.stringify(body)),
      headers: { "content-type": "application/json", "x-forwarded-user": "ann" },
    });
    expect(text).to.include('"success":true');
  };
  /** The texts that are or were worked on, in their order, with the status of the work. */
  const learned = async (id: string): Promise<unknown> => {
    const rows = await api.servers.query(
      `SELECT t.content || ' ' || f.status AS work FROM follow_ups f JOIN timeline_events t USING (stage_id)
       WHERE f.session_id = $1 AND f.kind = 'feedback' AND t.event_type = 'user_question' ORDER BY f.created_at`,
      [id],
    );
    return rows.map((row) => JSON.stringify(row));
  };
  const isLearned = async (id: string, ...works: readonly string[]) =>
    until(`the work is ${works.join(", ")}`, async () => {
      const expected = works.map((work) => JSON.stringify({ work }));
      return JSON.stringify(await learned(id)) === JSON.stringify(expected);
    });
  const end = async (id: string, status = "completed") =>
    api.servers.query(
      "UPDATE follow_ups SET status = $2::run_status WHERE session_id = $1 AND status IN ('pending', 'active')",
      [id, status],
    );
  const waiting = async (id: string) =>
    api.servers.query("SELECT feedback FROM waiting_feedback WHERE session_id = $1 ORDER BY created_at", [
      id,
    ]);

  it("waits for an earlier one and is learned from after it, each text once, however the one before ends", async () => {
    const id = await api.ended();
    await say(id, "first");
    for (const text of ["second", "third", "second", "first"]) await say(id, text);
    expect(await learned(id)).to.deep.equal([JSON.stringify({ work: "first pending" })]);
    expect(await waiting(id)).to.deep.equal([{ feedback: "second" }, { feedback: "third" }]);
    await end(id, "failed");
    await isLearned(id, "first failed", "second pending");
    expect(await waiting(id)).to.deep.equal([{ feedback: "third" }]);
    await say(id, "second");
    await end(id);
    await isLearned(id, "first failed", "second completed", "third pending");
    await end(id);
    await say(id, "second");
    await say(id, "fourth");
    await isLearned(id, "first failed", "second completed", "third completed", "fourth pending");
    expect(await waiting(id)).to.deep.equal([]);
  });

  it("is not learned from once its session is deleted", async () => {
    const [id, other] = [await api.ended(), await api.ended()];
    for (const session of [id, other]) {
      await say(session, "first");
      await say(session, "second");
    }
    await api.servers.query("UPDATE alert_sessions SET deleted_at = now() WHERE session_id = $1", [id]);
    await end(id);
    await end(other);
    await isLearned(other, "first completed", "second pending");
    expect(await learned(id)).to.deep.equal([JSON.stringify({ work: "first completed" })]);
  });
});
