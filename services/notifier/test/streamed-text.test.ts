import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { TestSession } from "./test-session.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";

describe("notifier: the text of open events", () => {
  let fixture: NotifierFixture;
  let url: string;
  let session: TestSession;
  let channel: string;
  let eventId: string;

  before(async () => {
    fixture = await NotifierFixture.start();
    ({ url } = await fixture.notifier());
  });
  after(async () => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    session = await fixture.newSession();
    channel = `session:${session.id}`;
    eventId = randomUUID();
  });

  it("sends chunks between the event's created and completed messages", async () => {
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    await session.emit(session.opened(eventId));
    await session.chunk(eventId, 0, "The disk ");
    await client.until(() => client.of("stream.chunk").length === 1);
    await session.chunk(eventId, 9, "is full");
    await session.emit(session.closed(eventId, "The disk is full."));
    await session.chunk(eventId, 16, " too late");
    await session.emit(session.ended());
    await client.untilSeq(3);
    expect(client.messages.slice(2).map(({ type }) => type)).to.deep.equal([
      "timeline_event.created",
      "stream.chunk",
      "stream.chunk",
      "timeline_event.completed",
      "session.completed",
    ]);
    const [chunk] = client.of("stream.chunk");
    expect(chunk).to.include({ session_id: session.id, event_id: eventId, attempt: 1, offset: 0 });
    expect(chunk).to.have.all.keys(
      "type",
      "session_id",
      "event_id",
      "attempt",
      "offset",
      "delta",
      "timestamp",
    );
    expect(client.textOf(eventId)).to.equal("The disk is full");
  });

  it("sends chunks after an event that must be read from its row first", async () => {
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    const lost = await session.commit(session.whole("lost"));
    await session.emit(session.opened(eventId));
    await session.chunk(eventId, 0, "text");
    await client.until(() => client.of("stream.chunk").length === 1);
    expect(lost).to.have.length(1);
    expect(client.messages.slice(2).map(({ type, seq }) => seq ?? type)).to.deep.equal([
      1,
      2,
      "stream.chunk",
    ]);
  });

  it("sends a second watcher the text so far, then the rest live", async () => {
    using first = await TestClient.connect(url);
    await first.subscribe(channel);
    await session.emit(session.opened(eventId));
    const text = "😀".repeat(40_000);
    for (let offset = 0; offset < text.length; offset += 10_000) {
      await session.chunk(eventId, offset, text.slice(offset, offset + 10_000));
    }
    await first.until(() => first.textOf(eventId) === text);
    using second = await TestClient.connect(url);
    await second.subscribe(channel);
    await session.chunk(eventId, text.length, "!");
    await second.until(() => second.textOf(eventId) === `${text}!`);
    expect(second.of("stream.chunk").every(({ delta }) => String(delta).isWellFormed())).to.equal(true);
    using resumed = await TestClient.connect(url);
    await resumed.subscribe(channel, { after_seq: 0 });
    await resumed.until(() => resumed.textOf(eventId) === `${text}!`);
    expect(resumed.messages[2]).to.include({ type: "timeline_event.created", seq: 1 });
  });

  it("requests the text of an open event from the executor when the first watcher joins in mid-stream", async () => {
    const text = "x".repeat(300_000);
    await session.storeOpenRow(eventId);
    await session.emit(session.opened(eventId));
    using snapshots = await session.answerSnapshots(({ offset = 0 }) => ({
      event_id: eventId,
      repeated: false,
      attempt: 2,
      offset,
      text: text.slice(offset, offset + 128 * 1024),
      length: text.length,
    }));
    using client = await TestClient.connect(url);
    expect(await client.subscribe(channel)).to.include({ after_seq: 1 });
    // Overlaps the snapshot.
    await session.chunk(eventId, text.length - 3, "xxxyz", 2);
    await client.until(() => client.textOf(eventId) === `${text}yz`);
    expect(snapshots.requests.map(({ offset }) => offset)).to.include.members([0, 131_072, 262_144]);
  });

  it("sends no text of an event that the client has completed and this notifier has yet to complete", async () => {
    const other = randomUUID();
    using first = await TestClient.connect(url);
    await first.subscribe(channel);
    await session.emit(session.opened(eventId), session.opened(other));
    await session.chunk(eventId, 0, "The disk is full");
    await session.chunk(other, 0, "So is the inbox");
    await first.until(() => first.textOf(other) !== "" && first.textOf(eventId) !== "");
    // Lost on this notifier's way; the client has it from another one.
    await session.commit(session.closed(eventId, "The disk is full."));
    using beyond = await TestClient.connect(url);
    // Its cursor is looked up, so that this notifier knows of the event before it has read it.
    await beyond.subscribe(channel, { after_seq: 3 });
    await session.chunk(eventId, 16, " too late");
    await session.emit(session.ended());
    await beyond.untilSeq(4);
    expect(beyond.textOf(eventId)).to.equal("");
    expect(beyond.textOf(other)).to.equal("So is the inbox");
  });

  it("fills a gap between chunks from the executor", async () => {
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    using _ = await session.answerSnapshots(({ offset = 0 }) => ({
      event_id: eventId,
      repeated: false,
      attempt: 1,
      offset,
      text: "one two three".slice(offset),
      length: 13,
    }));
    await session.emit(session.opened(eventId));
    await session.chunk(eventId, 0, "one ");
    await session.chunk(eventId, 8, "three");
    await session.chunk(eventId, 13, " four");
    await client.until(() => client.textOf(eventId) === "one two three four");
  });

  it("waits for the completion when no executor can fill the gap", async () => {
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    await session.emit(session.opened(eventId));
    await session.chunk(eventId, 4, "two");
    await session.chunk(eventId, 7, "three");
    await session.emit(session.closed(eventId, "one two three"));
    await client.untilSeq(2);
    expect(client.of("stream.chunk")).to.deep.equal([]);
  });

  it("restarts the text at a higher attempt and then ignores the lower one", async () => {
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    await session.emit(session.opened(eventId));
    await session.chunk(eventId, 0, "first try");
    await client.until(() => client.textOf(eventId) === "first try");
    await session.chunk(eventId, 0, "second", 2);
    await session.chunk(eventId, 6, " goes on", 1);
    await session.chunk(eventId, 6, " try", 2);
    await client.until(() => client.textOf(eventId) === "second try");
    await session.emit(session.ended());
    await client.untilSeq(2);
    expect(client.textOf(eventId)).to.equal("second try");
  });

  it("requests the beginning of a higher attempt that it joins in the middle", async () => {
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    await session.emit(session.opened(eventId));
    await session.chunk(eventId, 0, "first try");
    await client.until(() => client.textOf(eventId) === "first try");
    using _ = await session.answerSnapshots(({ offset = 0 }) => ({
      event_id: eventId,
      repeated: false,
      attempt: 2,
      offset,
      text: "second try".slice(offset),
      length: 10,
    }));
    await session.chunk(eventId, 6, " try", 2);
    await client.until(() => client.textOf(eventId) === "second try");
  });

  it("merges chunks that arrive together and sends all of them before the completion", async () => {
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    await session.emit(session.opened(eventId));
    const text = "0123456789".repeat(200);
    const sending = Array.from({ length: 200 }, (_, n) => session.chunk(eventId, n * 10, "0123456789"));
    await session.emit(session.closed(eventId, text));
    await Promise.all(sending);
    await client.untilSeq(2);
    expect(client.textOf(eventId)).to.equal(text);
    expect(client.of("stream.chunk").length).to.be.lessThan(100);
  });

  it("sends the text of duplicate chunks once", async () => {
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    await session.emit(session.opened(eventId));
    await session.chunk(eventId, 0, "abc");
    await client.until(() => client.textOf(eventId) === "abc");
    await session.chunk(eventId, 0, "abc");
    await session.chunk(eventId, 1, "bcde");
    await client.until(() => client.textOf(eventId) === "abcde");
    expect(client.of("stream.chunk").map(({ delta }) => delta)).to.deep.equal(["abc", "de"]);
  });

  it("sends no chunks beyond 1 MiB of text; the completed event has the whole text", async () => {
    using client = await TestClient.connect(url);
    await client.subscribe(channel);
    await session.emit(session.opened(eventId));
    using snapshots = await session.answerSnapshots(() => undefined);
    const piece = "y".repeat(16 * 1024);
    for (let n = 0; n < 70; n += 1) await session.chunk(eventId, n * piece.length, piece);
    const content = piece.repeat(70);
    await session.emit(session.closed(eventId, content));
    await client.untilSeq(2);
    expect(client.textOf(eventId)).to.equal(piece.repeat(64));
    expect(snapshots.requests).to.deep.equal([]);
    expect(client.of("timeline_event.completed")[0]?.["content"]).to.equal(content);
  });
});
