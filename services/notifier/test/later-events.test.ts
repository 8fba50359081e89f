import { expect } from "chai";
import { publishEvent } from "#shared/bus/publish-event.ts";
import { busEventCodec, type StoredEvent } from "#shared/contracts/session-event.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { wireEvent } from "#shared/contracts/wire-event.ts";
import { readEvents } from "#shared/database/read-events.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";
import type { TestSession } from "./test-session.ts";

describe("notifier: events of types that only a later version knows", () => {
  let fixture: NotifierFixture;
  let url: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url } = await fixture.notifier());
  });
  after(async () => fixture[Symbol.asyncDispose]());

  /** Commits an event as a later version would. */
  const commitLater = async (session: TestSession): Promise<StoredEvent> => {
    const [committed] = await session.commit(session.status());
    const seq = committed?.seq ?? 0;
    await fixture.db.query(
      `UPDATE events SET payload = payload || '{"type": "session.later", "added": 1}' WHERE session_id = $1 AND seq = $2`,
      [session.id, seq],
    );
    const [event] = await readEvents(fixture.db, session.id, { afterSeq: seq - 1, limit: 1 });
    if (event === undefined) throw new Error("the event is not stored");
    return event;
  };

  it("pass through /ws unchanged, live and from their rows", async () => {
    const session = await fixture.newSession();
    using live = await TestClient.connect(url);
    await live.subscribe(`session:${session.id}`);
    await session.emit(session.status());
    const published = await commitLater(session);
    publishEvent(fixture.bus, published);
    const lost = await commitLater(session);
    await session.emit(session.ended());
    await live.untilSeq(4);
    expect(live.seqs).to.deep.equal([1, 2, 3, 4]);
    expect(live.of("session.later")).to.deep.equal([wireEvent(published), wireEvent(lost)]);
    expect(live.of("session.later")[0]).to.include({ added: 1 });
    using late = await TestClient.connect((await fixture.notifier()).url);
    await late.subscribe(`session:${session.id}`, { after_seq: 0 });
    await late.untilSeq(4);
    expect(late.seqs).to.deep.equal([1, 2, 3, 4]);
    expect(late.of("session.later")).to.deep.equal(live.of("session.later"));
  });

  it("are left out on /api/v1/ws, where the session's other events follow", async () => {
    const session = await fixture.newSession();
    const dialect = url.replace("/ws", "/api/v1/ws");
    using live = await TestClient.connect(dialect);
    await live.subscribe(`session:${session.id}`);
    publishEvent(fixture.bus, await commitLater(session));
    await session.emit(session.status());
    await live.until(() => live.of("session.status").length === 1);
    using late = await TestClient.connect(dialect);
    await late.subscribe(`session:${session.id}`);
    await late.until(() => late.of("session.status").length === 1);
    for (const client of [live, late]) {
      expect(client.of("session.later")).to.deep.equal([]);
      expect(client.of("error")).to.deep.equal([]);
    }
  });

  it("reach the channel sessions of /ws alone", async () => {
    const session = await fixture.newSession();
    using exact = await TestClient.connect(url);
    await exact.subscribe("sessions");
    using dialect = await TestClient.connect(url.replace("/ws", "/api/v1/ws"));
    await dialect.subscribe("sessions");
    const later = await commitLater(session);
    fixture.bus.connection.publish(SUBJECTS.feed(session.id), busEventCodec.encode(later));
    await session.emit(session.status());
    for (const client of [exact, dialect]) {
      await client.until(() => client.of("session.status").some(({ session_id: id }) => id === session.id));
    }
    expect(exact.of("session.later")).to.deep.equal([wireEvent(later)]);
    expect(dialect.of("session.later")).to.deep.equal([]);
  });
});
