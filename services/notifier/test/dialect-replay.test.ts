import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

describe("notifier: where a client of /api/v1/ws begins", () => {
  let fixture: NotifierFixture;
  let url: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url } = await fixture.notifier());
    url = url.replace("/ws", "/api/v1/ws");
  });
  after(async () => fixture[Symbol.asyncDispose]());

  const statuses = (client: TestClient) => client.of("session.status").map(({ status }) => status);
  const untilStatus = async (client: TestClient, status: string) =>
    client.until(() => statuses(client).includes(status));

  it("replays nothing of a session that ended more than a minute ago, but what a client missed of it", async () => {
    const session = await fixture.newSession();
    const [started] = await session.emit(session.status(), session.ended());
    const ended = async (ago: string) =>
      fixture.db.query(
        `UPDATE alert_sessions SET status = 'completed', completed_at = now() - $2::interval WHERE session_id = $1`,
        [session.id, ago],
      );
    await ended("59 s");
    using recent = await TestClient.connect(url);
    await recent.subscribe(`session:${session.id}`);
    await untilStatus(recent, "completed");
    recent[Symbol.dispose]();
    await ended("61 s");
    const other = (await fixture.notifier()).url.replace("/ws", "/api/v1/ws");
    using old = await TestClient.connect(other);
    await old.subscribe(`session:${session.id}`);
    old.send({ action: "ping" });
    await old.until(() => old.of("pong").length === 1);
    using missed = await TestClient.connect(other);
    missed.send({ action: "subscribe", channel: `session:${session.id}` });
    missed.send({ action: "catchup", channel: `session:${session.id}`, last_event_id: started?.db_event_id });
    await untilStatus(missed, "completed");
    expect(statuses(missed)).to.deep.equal(["completed"]);
    expect(statuses(recent)).to.deep.equal(["in_progress", "completed"]);
    expect(statuses(old)).to.deep.equal([]);
  });

  it("shows the right stage of an event that comes while the session's rows are read", async () => {
    const session = await fixture.newSession([
      { name: "look", agents: 2, synthesis: true },
      { name: "think", agents: 2, synthesis: true },
    ]);
    for (const [index, id] of [randomUUID(), session.stageId].entries()) {
      await fixture.db.query(
        `INSERT INTO stages (stage_id, session_id, stage_name, stage_index, expected_agent_count)
         VALUES ($1, $2, 'stage', $3, 2)`,
        [id, session.id, index + 1],
      );
    }
    using exact = await TestClient.connect(url.replace("/api/v1/ws", "/ws"));
    await exact.subscribe(`session:${session.id}`);
    using client = await TestClient.connect(url);
    await fixture.db.transaction(async (manager) => {
      await manager.query("LOCK TABLE agent_executions IN ACCESS EXCLUSIVE MODE");
      client.send({ action: "subscribe", channel: `session:${session.id}` });
      await until("the notifier reads the rows", async () => {
        const waiting: unknown = await fixture.db.query(
          `SELECT 1 FROM pg_stat_activity
           WHERE wait_event_type = 'Lock' AND query LIKE '%FROM agent_executions%' AND datname = current_database()`,
        );
        return Array.isArray(waiting) && waiting.length > 0;
      });
      await session.emit(session.status(), {
        type: "execution.status",
        session_id: session.id,
        stage_id: session.stageId,
        execution_id: session.executionId,
        agent_name: "synthesis",
        agent_index: 3,
        status: "active",
      });
      await exact.until(() => exact.of("execution.status").length === 1);
    });
    await client.until(() => client.of("execution.status").length === 1);
    const stages = client
      .of("stage.status")
      .map(({ stage_index, stage_name, status }) => [stage_index, stage_name, status]);
    expect(stages).to.deep.equal([
      [3, "think", "completed"],
      [4, "think - Synthesis", "started"],
    ]);
  });

  it("sends only what follows the cursor of a catchup behind the subscription", async () => {
    const session = await fixture.newSession();
    const stored = await session.emit(...["a", "b", "c", "d"].map((text) => session.whole(text)));
    using client = await TestClient.connect(url);
    client.send({ action: "subscribe", channel: `session:${session.id}` });
    client.send({
      action: "catchup",
      channel: `session:${session.id}`,
      last_event_id: stored[1]?.db_event_id,
    });
    client.send({ action: "catchup", channel: "sessions", last_event_id: 1 });
    await client.until(() => client.of("timeline_event.created").length === 2);
    await session.emit(session.whole("e"));
    await client.until(() => client.of("timeline_event.created").length === 3);
    expect(client.of("timeline_event.created").map(({ content }) => content)).to.deep.equal(["c", "d", "e"]);
  });

  it("replays by a catchup without a subscription, and beside a live one, without a limit", async () => {
    const session = await fixture.newSession();
    const texts = Array.from({ length: 450 }, (_, index) => `event ${index}`);
    const stored = await session.emit(...texts.map((text) => session.whole(text)));
    const channel = `session:${session.id}`;
    using client = await TestClient.connect(url);
    client.send({ action: "catchup", channel, last_event_id: stored[0]?.db_event_id });
    await client.until(() => client.of("timeline_event.created").length === 449);
    await client.subscribe(channel);
    await client.until(() => client.of("timeline_event.created").length === 899);
    client.send({ action: "catchup", channel, last_event_id: stored[447]?.db_event_id });
    await client.until(() => client.of("timeline_event.created").length === 901);
    expect(client.of("catchup.overflow")).to.deep.equal([]);
  });

  it("answers a subscription that fails and one with a cursor", async () => {
    using client = await TestClient.connect(url);
    const channel = `session:${randomUUID()}`;
    client.send({ action: "subscribe", channel });
    await client.until(() => client.of("subscription.error").length === 1);
    expect(client.of("subscription.error")[0]).to.include({ channel });
    client.send({ action: "subscribe", channel, after_seq: 0 });
    await client.until(() => client.of("error").length === 1);
    expect(client.of("error")[0]?.["message"]).to.contain("/ws");
  });
});
