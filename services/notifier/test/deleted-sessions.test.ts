import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { RunningNotifier } from "../../../test/support/start-notifier.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";
import type { TestSession } from "./test-session.ts";

describe("a deleted session", () => {
  let fixture: NotifierFixture;
  let notifier: RunningNotifier;

  before(async () => {
    fixture = await NotifierFixture.start();
    notifier = await fixture.notifier();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const set = async (session: TestSession, column: string) =>
    fixture.db.query(`UPDATE alert_sessions SET ${column} WHERE session_id = $1`, [session.id]);
  const ended = async () => {
    const session = await fixture.newSession();
    await set(session, "status = 'completed', completed_at = now()");
    await session.emit(session.status(), session.whole("a secret of the alert"), session.ended());
    return session;
  };
  const unknown = (id: string) => ({
    type: "error",
    message: `there is no session ${id}`,
    channel: `session:${id}`,
  });

  it("is answered as an unknown one", async () => {
    const deleted = await ended();
    await set(deleted, "deleted_at = now()");
    for (const id of [deleted.id, randomUUID()]) {
      for (const request of [{}, { after_seq: 0 }, { after_seq: 3 }, { last_event_id: 0 }]) {
        using client = await TestClient.connect(notifier.url);
        client.send({ action: "subscribe", channel: `session:${id}`, ...request });
        await client.until(() => client.of("error").length === 1);
        expect(client.of("error")).to.deep.equal([unknown(id)]);
        expect(client.seqs).to.deep.equal([]);
      }
      using client = await TestClient.connect(notifier.url);
      client.send({ action: "catchup", channel: `session:${id}`, last_event_id: 0 });
      client.send({ action: "ping" });
      await client.until(() => client.of("pong").length === 1);
      expect(client.seqs).to.deep.equal([]);
    }
  });

  it("is announced to its followers, and what was in memory is gone at once", async () => {
    const session = await ended();
    using follower = await TestClient.connect(notifier.url);
    await follower.subscribe(`session:${session.id}`, { after_seq: 0 });
    await follower.until(() => follower.seqs.length === 3);
    await set(session, "deleted_at = now()");
    for (const request of [
      { action: "subscribe", after_seq: 0 },
      { action: "catchup", last_event_id: 0 },
    ]) {
      using late = await TestClient.connect(notifier.url);
      late.send({ channel: `session:${session.id}`, ...request });
      late.send({ action: "ping" });
      await late.until(() => late.of("pong").length === 1 && late.of("error").length <= 1);
      expect(late.seqs).to.deep.equal([]);
    }
    await follower.until(() => follower.of("error").length === 1);
    expect(follower.of("error")).to.deep.equal([unknown(session.id)]);
  });

  it("ends the streams of a session that still runs", async () => {
    const session = await fixture.newSession();
    await session.emit(session.status());
    using follower = await TestClient.connect(notifier.url);
    await follower.subscribe(`session:${session.id}`, { after_seq: 0 });
    await set(session, "deleted_at = now()");
    await follower.until(() => follower.of("error").length === 1);
    expect(follower.of("error")).to.deep.equal([unknown(session.id)]);
  });
});
