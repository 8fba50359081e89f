import { expect } from "chai";
import type { RunningNotifier } from "../../../test/support/start-notifier.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

describe("a session whose events were purged", () => {
  let fixture: NotifierFixture;
  let notifier: RunningNotifier;

  before(async () => {
    fixture = await NotifierFixture.start();
    notifier = await fixture.notifier();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const purged = async () => {
    const session = await fixture.newSession();
    await session.commit(session.status(), session.whole("long ago"), session.ended());
    await fixture.db.query("UPDATE session_runtime SET events_purged_at = now() WHERE session_id = $1", [
      session.id,
    ]);
    // Half done: the rest is no history either.
    await fixture.db.query("DELETE FROM events WHERE session_id = $1 AND seq = 1", [session.id]);
    return session;
  };

  it("answers a subscription with history and a catchup with an error that says where to read", async () => {
    for (const request of [
      { action: "subscribe", after_seq: 0 },
      { action: "subscribe", last_event_id: 0 },
      { action: "catchup", last_event_id: 0 },
    ]) {
      const session = await purged();
      const channel = `session:${session.id}`;
      using client = await TestClient.connect(notifier.url);
      client.send({ ...request, channel });
      await client.until(() => client.of("error").length === 1);
      expect(client.of("error")).to.deep.equal([
        {
          type: "error",
          message: `the events of session ${session.id} have been deleted because it ended long ago: read its timeline over REST`,
          channel,
          code: "events_purged",
        },
      ]);
      expect(client.seqs).to.deep.equal([]);
    }
  });

  it("confirms a subscription at its end", async () => {
    const session = await purged();
    using client = await TestClient.connect(notifier.url);
    expect(await client.subscribe(`session:${session.id}`, { after_seq: 3 })).to.include({ after_seq: 3 });
    client.send({ action: "ping" });
    await client.until(() => client.of("pong").length === 1);
    expect(client.of("error")).to.deep.equal([]);
  });
});
