import { expect } from "chai";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";
import type { TestSession } from "./test-session.ts";

describe("events that a failover of Postgres has lost", () => {
  let fixture: NotifierFixture;

  before(async () => {
    fixture = await NotifierFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  /** As a standby that never received what follows the event `seq`. */
  const loseAfter = async (session: TestSession, seq: number) => {
    await fixture.db.query("DELETE FROM events WHERE session_id = $1 AND seq > $2", [session.id, seq]);
    await fixture.db.query("UPDATE session_runtime SET last_seq = $2 WHERE session_id = $1", [
      session.id,
      seq,
    ]);
  };
  const told = (session: TestSession) => ({
    type: "error",
    message: `events of session ${session.id} that you have are not stored any more: reload it and subscribe with after_seq 0`,
    channel: `session:${session.id}`,
    code: "events_lost",
  });
  const lossy = async () => {
    const session = await fixture.newSession();
    const events = await session.emit(session.status(), session.whole("kept"), session.whole("lost"));
    return { session, lastEventId: events.at(-1)?.db_event_id ?? 0 };
  };

  it("are announced to the clients that follow their session, which may then read it anew", async () => {
    const { url } = await fixture.notifier();
    const { session } = await lossy();
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`, { after_seq: 0 });
    await client.untilSeq(3);
    await loseAfter(session, 2);
    await client.until(() => client.of("error").length === 1);
    expect(client.of("error")).to.deep.equal([told(session)]);
    await session.commit(session.whole("new"), session.ended());
    using again = await TestClient.connect(url);
    await again.subscribe(`session:${session.id}`, { after_seq: 0 });
    await again.untilSeq(4);
    expect(again.messages.filter(({ seq }) => seq === 3)).to.have.nested.property("[0].content", "new");
  });

  it("are announced to a client that comes back when others have taken their numbers, by the id of its last one", async () => {
    const { session, lastEventId } = await lossy();
    await loseAfter(session, 2);
    const [other] = await session.commit(session.whole("new"), session.whole("newer"));
    const { url } = await fixture.notifier();
    const subscribe = { action: "subscribe", channel: `session:${session.id}`, after_seq: 3 };
    using client = await TestClient.connect(url);
    client.send({ ...subscribe, last_event_id: lastEventId });
    await client.until(() => client.of("error").length === 1);
    expect(client.of("error")).to.deep.equal([told(session)]);
    expect(client.seqs).to.deep.equal([]);
    client.send({ ...subscribe, last_event_id: other?.db_event_id });
    await client.untilSeq(4);
    // The same from memory, where the notifier has event 4 now.
    const [newest] = await session.emit(session.whole("newest"));
    await client.untilSeq(5);
    client.send({ ...subscribe, after_seq: 5, last_event_id: newest?.db_event_id });
    await client.until(() => client.of("subscription.confirmed").length === 2);
    client.send({ ...subscribe, after_seq: 5, last_event_id: lastEventId });
    await client.until(() => client.of("error").length === 2);
  });
});
