import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { busEventCodec } from "#shared/contracts/session-event.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { publishEvent } from "#shared/bus/publish-event.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

describe("notifier: the events of a session", () => {
  let fixture: NotifierFixture;
  let url: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url } = await fixture.notifier());
  });
  after(async () => fixture[Symbol.asyncDispose]());

  it("sends a new client its connection id", async () => {
    using client = await TestClient.connect(url);
    await client.until(() => client.messages.length > 0);
    expect(client.messages[0]?.["type"]).to.equal("connection.established");
    expect(client.messages[0]?.["connection_id"]).to.match(/^[0-9a-f-]{36}$/u);
  });

  it("sends live events once, in order, with seq and db_event_id beside their payload", async () => {
    const session = await fixture.newSession();
    using client = await TestClient.connect(url);
    expect(await client.subscribe(`session:${session.id}`)).to.deep.equal({
      type: "subscription.confirmed",
      channel: `session:${session.id}`,
      after_seq: 0,
    });
    const [first] = await session.emit(session.status());
    await session.emit(session.whole("one"), session.whole("two"), session.ended());
    await client.untilSeq(4);
    expect(client.seqs).to.deep.equal([1, 2, 3, 4]);
    expect(client.of("session.status")).to.deep.equal([
      { ...first?.payload, seq: 1, db_event_id: first?.db_event_id },
    ]);
  });

  it("reads events lost on the bus from Postgres, with and without a later event that shows the gap", async () => {
    const session = await fixture.newSession();
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    await session.emit(session.status());
    await session.commit(session.whole("lost"), session.whole("lost too"));
    await session.emit(session.whole("shows the gap"));
    await client.untilSeq(4);
    await session.commit(session.ended());
    await client.untilSeq(5);
    expect(client.seqs).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it("drops events that the bus repeats", async () => {
    const session = await fixture.newSession();
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    const events = await session.emit(session.status(), session.whole("one"));
    for (const event of events) publishEvent(fixture.bus, event);
    await fixture.bus.flush();
    await session.emit(session.ended());
    await client.untilSeq(3);
    expect(client.seqs).to.deep.equal([1, 2, 3]);
  });

  it("reads a large event from its row and sends it completely", async () => {
    const session = await fixture.newSession();
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    const content = "x".repeat(300_000);
    await session.emit(session.whole(content), session.ended());
    await client.untilSeq(2);
    expect(client.of("timeline_event.created")[0]?.["content"]).to.equal(content);
    expect(client.seqs).to.deep.equal([1, 2]);
  });

  it("sends history and live events as one sequence from after_seq or last_event_id", async () => {
    const session = await fixture.newSession();
    const stored = await session.emit(...Array.from({ length: 130 }, (_, n) => session.whole(`event ${n}`)));
    using bySeq = await TestClient.connect(url);
    using byId = await TestClient.connect(url);
    const writing = (async () => {
      for (let n = 0; n < 60; n += 1) await session.emit(session.whole(`live ${n}`));
    })();
    expect(await bySeq.subscribe(`session:${session.id}`, { after_seq: 0 })).to.include({ after_seq: 0 });
    await byId.subscribe(`session:${session.id}`, { last_event_id: stored[99]?.db_event_id });
    await writing;
    await Promise.all([bySeq.untilSeq(190), byId.untilSeq(190)]);
    expect(bySeq.seqs).to.deep.equal(Array.from({ length: 190 }, (_, n) => n + 1));
    expect(byId.seqs).to.deep.equal(Array.from({ length: 90 }, (_, n) => n + 101));
  });

  it("pages through a history of 10,000 events, while more are added", async () => {
    const session = await fixture.newSession();
    for (let n = 0; n < 10; n += 1) {
      await session.commit(...Array.from({ length: 1_000 }, () => session.whole("x".repeat(200))));
    }
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`, { after_seq: 0 });
    await session.emit(session.whole("meanwhile"), session.ended());
    await client.until(() => client.messages.at(-1)?.["seq"] === 10_002);
    expect(client.seqs).to.deep.equal(Array.from({ length: 10_002 }, (_, n) => n + 1));
  });

  it("tells a client whose cursor is beyond the end to reload", async () => {
    const session = await fixture.newSession();
    await session.emit(session.status());
    using client = await TestClient.connect(url);
    client.send({ action: "subscribe", channel: `session:${session.id}`, after_seq: 5 });
    await client.until(() => client.of("error").length === 1);
    expect(client.of("error")[0]).to.deep.equal({
      type: "error",
      message: `events of session ${session.id} that you have are not stored any more: reload it and subscribe with after_seq 0`,
      channel: `session:${session.id}`,
      code: "events_lost",
    });
  });

  it("repeats nothing to a client that is ahead of the notifier", async () => {
    const session = await fixture.newSession();
    using behind = await TestClient.connect(url);
    await behind.subscribe(`session:${session.id}`);
    await session.commit(session.status(), session.whole("received elsewhere"));
    using ahead = await TestClient.connect(url);
    await ahead.subscribe(`session:${session.id}`, { after_seq: 2 });
    await session.emit(session.ended());
    await Promise.all([behind.untilSeq(3), ahead.untilSeq(3)]);
    expect(ahead.seqs).to.deep.equal([3]);
    expect(behind.seqs).to.deep.equal([1, 2, 3]);
  });

  it("answers an unknown session with an error", async () => {
    const id = randomUUID();
    using client = await TestClient.connect(url);
    client.send({ action: "subscribe", channel: `session:${id}` });
    await client.until(() => client.of("error").length === 1);
    expect(client.of("error")[0]?.["message"]).to.equal(`there is no session ${id}`);
  });

  it("sends nothing after unsubscribe, and every missed event after a new subscription", async () => {
    const session = await fixture.newSession();
    const channel = `session:${session.id}`;
    using client = await TestClient.connect(url);
    using other = await TestClient.connect(url);
    await client.subscribe(channel);
    await other.subscribe(channel);
    await session.emit(session.status());
    await client.untilSeq(1);
    client.send({ action: "unsubscribe", channel });
    client.send({ action: "ping" });
    await client.until(() => client.of("pong").length === 1);
    await session.emit(session.whole("unseen"));
    await other.untilSeq(2);
    client.send({ action: "ping" });
    await client.until(() => client.of("pong").length === 2);
    expect(client.seqs).to.deep.equal([1]);
    await client.subscribe(channel, { after_seq: 1 });
    await client.untilSeq(2);
    expect(client.seqs).to.deep.equal([1, 2]);
  });

  it("confirms a repeated subscription again without repeating events", async () => {
    const session = await fixture.newSession();
    const channel = `session:${session.id}`;
    using client = await TestClient.connect(url);
    using other = await TestClient.connect(url);
    await other.subscribe(channel);
    await client.subscribe(channel);
    const eventId = randomUUID();
    await session.emit(session.opened(eventId));
    await session.chunk(eventId, 0, "text");
    await client.until(() => client.of("stream.chunk").length === 1);
    await client.subscribe(channel);
    await session.emit(session.ended());
    await client.untilSeq(2);
    expect(client.seqs).to.deep.equal([1, 2]);
    expect(client.of("stream.chunk")).to.have.length(1);
  });

  it("replays at most 200 stored events on catchup and then reports an overflow", async () => {
    const session = await fixture.newSession();
    const channel = `session:${session.id}`;
    const stored = await session.commit(
      ...Array.from({ length: 201 }, (_, n) => session.whole(`event ${n}`)),
    );
    using client = await TestClient.connect(url);
    client.send({ action: "catchup", channel, last_event_id: 0 });
    await client.until(() => client.of("catchup.overflow").length === 1);
    expect(client.of("catchup.overflow")).to.deep.equal([
      { type: "catchup.overflow", channel, has_more: true },
    ]);
    expect(client.messages.at(-1)?.["type"]).to.equal("catchup.overflow");
    expect(client.seqs).to.deep.equal(Array.from({ length: 200 }, (_, n) => n + 1));
    client.messages.length = 0;
    client.send({ action: "catchup", channel, last_event_id: stored[0]?.db_event_id });
    await client.untilSeq(201);
    client.send({ action: "catchup", channel: "sessions", last_event_id: 0 });
    client.send({ action: "ping" });
    await client.until(() => client.of("pong").length === 1);
    expect(client.seqs).to.deep.equal(Array.from({ length: 200 }, (_, n) => n + 2));
    expect(client.of("catchup.overflow")).to.deep.equal([]);
  });

  it("sends the status of every session on the channel sessions, live only", async () => {
    const [one, two] = [await fixture.newSession(), await fixture.newSession()];
    await one.emit(one.status());
    using client = await TestClient.connect(url);
    expect(await client.subscribe("sessions")).to.deep.equal({
      type: "subscription.confirmed",
      channel: "sessions",
    });
    await two.emit(two.status(), two.whole("not on this channel"));
    const ended = await one.emit(one.ended("e".repeat(100_000)));
    for (const event of ended) publishEvent(fixture.bus, event);
    await fixture.bus.flush();
    await two.emit(two.ended());
    await client.until(() => client.of("session.completed").length === 2);
    expect(
      client.messages.slice(2).map(({ type, session_id, seq }) => ({ type, session_id, seq })),
    ).to.have.deep.members([
      { type: "session.status", session_id: two.id, seq: 1 },
      { type: "session.completed", session_id: one.id, seq: 2 },
      { type: "session.completed", session_id: two.id, seq: 3 },
    ]);
  });

  it("keeps the order of a session on the channel sessions when an event is read from its row", async () => {
    const session = await fixture.newSession();
    using client = await TestClient.connect(url);
    await client.subscribe("sessions");
    const large = () => session.ended("e".repeat(100_000));
    await session.emit(
      ...Array.from({ length: 10 }, () => [large(), session.status(), session.status()]).flat(),
    );
    await client.until(() => client.seqs.length === 30);
    expect(client.seqs).to.deep.equal(Array.from({ length: 30 }, (_, n) => n + 1));
  });

  it("ignores malformed messages and unknown events on the bus", async () => {
    const session = await fixture.newSession();
    using client = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    fixture.bus.connection.publish(SUBJECTS.events(session.id), Buffer.from("{"));
    fixture.bus.connection.publish(
      SUBJECTS.events(session.id),
      busEventCodec.encode({ session_id: session.id, seq: 1_000, db_event_id: 1 }),
    );
    await session.emit(session.status());
    await client.untilSeq(1);
    expect(client.seqs).to.deep.equal([1]);
  });
});
