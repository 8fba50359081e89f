import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { publishChunk } from "#shared/bus/publish-message.ts";
import { MAX_DELTA_CODE_UNITS, MAX_SNAPSHOT_TEXT_CODE_UNITS } from "#shared/contracts/stream-chunk.ts";
import { until } from "../../../test/support/until.ts";
import { answerSnapshot } from "../stream/answer-snapshot.ts";
import { openLiveStreams, type LiveStream } from "../stream/live-streams.ts";
import type { EventPublisher } from "../stream/publish-events.ts";
import { ExecutorFixture, type Heard } from "./executor-fixture.ts";

describe("openLiveStreams", () => {
  let executor: ExecutorFixture;

  before(async () => {
    executor = await ExecutorFixture.start();
  });
  after(() => executor[Symbol.asyncDispose]());

  const publisherOf = (settled: () => Promise<void> = async () => Promise.resolve()): EventPublisher => ({
    publish: () => undefined,
    settled,
    [Symbol.asyncDispose]: async () => Promise.resolve(),
  });
  /** Opens the live texts of a session whose publisher is idle unless `settled` says otherwise. */
  const open = async (settled?: () => Promise<void>) => {
    const sessionId = randomUUID();
    const heard = await executor.listen(sessionId);
    const publisher = publisherOf(settled);
    return { sessionId, heard, streams: openLiveStreams({ bus: executor.bus, sessionId, publisher }) };
  };
  const chunks = (heard: readonly Heard[]) => heard.filter((message) => "delta" in message);
  const text = (heard: readonly Heard[]) =>
    chunks(heard)
      .map(({ delta }) => delta)
      .join("");

  it("sends chunks with contiguous offsets, and few of them if the model is fast", async () => {
    const { streams, heard } = await open();
    await using _ = streams;
    const stream = streams.open(randomUUID(), 1);
    const words = Array.from({ length: 5_000 }, (_word, n) => `wörd${n} 🔥 `);
    for (const word of words) stream.append(word);
    await stream.flush();
    const whole = words.join("");
    await until("all of it has arrived", () => text(heard) === whole);
    expect(stream.text()).to.equal(whole);
    expect(stream.length).to.equal(whole.length);
    let offset = 0;
    for (const chunk of chunks(heard)) {
      expect(chunk.offset).to.equal(offset);
      expect(chunk.delta.isWellFormed()).to.equal(true);
      expect(chunk.delta.length).to.be.at.most(MAX_DELTA_CODE_UNITS);
      offset += chunk.delta.length;
    }
    expect(chunks(heard).length).to.be.below(words.length / 10);
  });

  it("never splits a surrogate pair, however long the delta", async () => {
    const { streams, heard } = await open();
    await using _ = streams;
    const whole = `x${"💾".repeat(MAX_DELTA_CODE_UNITS)}`;
    streams.open(randomUUID(), 1).append(whole);
    await until("all of it has arrived", () => text(heard) === whole);
    expect(chunks(heard)).to.have.length(3);
    for (const { delta } of chunks(heard)) expect(delta.isWellFormed()).to.equal(true);
  });

  it("sends Postgres-safe text at the same offsets", async () => {
    const { streams, heard } = await open();
    await using _ = streams;
    const stream = streams.open(randomUUID(), 1);
    stream.append("a\u0000b");
    stream.append("c\ud800");
    await until("all of it has arrived", () => text(heard) === "a\uFFFDbc\uFFFD");
    expect(stream.text()).to.equal("a\uFFFDbc\uFFFD");
  });

  it("sends no chunk before the created event of its live text", async () => {
    const eventsSent = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let current = 0;
    const { sessionId, streams, heard } = await open(async () => eventsSent[current]?.promise);
    await using _ = streams;
    const first = streams.open("11111111-1111-4111-8111-111111111111", 1);
    first.append("one");
    eventsSent[0]?.resolve();
    // The pump runs for the first live text while the event of the second one is still being sent.
    current = 1;
    const second = streams.open("22222222-2222-4222-8222-222222222222", 1);
    second.append("two");
    first.append("more");
    await until("the text of the first one has arrived", () => text(heard) === "onemore");
    publishChunk(executor.bus, {
      type: "stream.chunk",
      session_id: sessionId,
      event_id: "33333333-3333-4333-8333-333333333333",
      attempt: 1,
      offset: 0,
      delta: "last",
      timestamp: "now",
    });
    await until("a later message has arrived", () => text(heard).includes("last"));
    expect(chunks(heard).filter(({ event_id }) => event_id === second.eventId)).to.deep.equal([]);
    eventsSent[1]?.resolve();
    await until("all of it has arrived", () => text(heard).includes("two"));
  });

  it("starts another attempt of an event at offset 0", async () => {
    const { streams, heard } = await open();
    await using _ = streams;
    const eventId = randomUUID();
    const first = streams.open(eventId, 1);
    first.append("half an ans");
    await first.flush();
    const second = streams.open(eventId, 2);
    second.append("a whole one");
    await second.flush();
    await until("both have arrived", () => text(heard).endsWith("a whole one"));
    expect(chunks(heard).map(({ attempt, offset }) => [attempt, offset])).to.deep.equal([
      [1, 0],
      [2, 0],
    ]);
    expect(streams.textOf(eventId)).to.equal("a whole one");
    streams.forget(eventId);
    expect(streams.textOf(eventId)).to.equal(undefined);
  });

  describe("where no notifier follows the session", () => {
    /** Live texts without a listener, on a clock of their own. */
    const openUnheard = () => {
      const sessionId = randomUUID();
      const clock = { ms: 0 };
      const publisher = publisherOf();
      const now = () => clock.ms;
      const streams = openLiveStreams({ bus: executor.bus, sessionId, publisher, now });
      /** Appends one delta, and resolves with the number of messages that were sent for it. */
      const sentFor = async (stream: LiveStream, delta: string) => {
        const { outMsgs } = executor.bus.connection.stats();
        stream.append(delta);
        await stream.flush();
        await executor.bus.flush();
        return executor.bus.connection.stats().outMsgs - outMsgs;
      };
      return { sessionId, clock, streams, sentFor };
    };

    it("sends the first chunk of each text, and then one in a second", async () => {
      const { clock, streams, sentFor } = openUnheard();
      await using _ = streams;
      const first = streams.open(randomUUID(), 1);
      expect(await sentFor(first, "a")).to.equal(1);
      for (const delta of ["b", "c", "d"]) expect(await sentFor(first, delta)).to.equal(0);
      const second = streams.open(randomUUID(), 1);
      expect(await sentFor(second, "e")).to.equal(1);
      expect(await sentFor(second, "f")).to.equal(0);
      clock.ms += 1_000;
      expect(await sentFor(first, "g")).to.equal(1);
      expect(await sentFor(first, "h")).to.equal(0);
      expect([first.text(), second.text()]).to.deep.equal(["abcdgh", "ef"]);
    });

    it("sends all that follows to one that asks for the text so far", async () => {
      const { sessionId, streams, sentFor } = openUnheard();
      await using _ = streams;
      const stream = streams.open(randomUUID(), 1);
      for (const delta of ["one ", "two "]) await sentFor(stream, delta);
      const heard = await executor.listen(sessionId);
      expect(await sentFor(stream, "three ")).to.equal(0);
      const [snapshot] = answerSnapshot(sessionId, streams, {}).streams;
      for (const delta of ["four ", "five"]) await sentFor(stream, delta);
      await until("the rest has arrived", () => text(heard) === "four five");
      expect(snapshot?.text).to.equal("one two three ");
      expect(chunks(heard)[0]?.offset).to.equal(snapshot?.text.length);
    });

    it("is heard again by one that has not asked within a second", async () => {
      const { sessionId, clock, streams, sentFor } = openUnheard();
      await using _ = streams;
      const stream = streams.open(randomUUID(), 1);
      for (const delta of ["one ", "two "]) await sentFor(stream, delta);
      const heard = await executor.listen(sessionId);
      clock.ms += 1_000;
      for (const delta of ["three ", "four"]) await sentFor(stream, delta);
      await until("the rest has arrived", () => text(heard) === "three four");
      expect(chunks(heard)[0]?.offset).to.equal("one two ".length);
    });
  });

  describe("answerSnapshot", () => {
    it("returns the text of every open live text, in pages", async () => {
      const { streams, sessionId } = await open();
      await using _ = streams;
      const [long, short] = [streams.open(randomUUID(), 1), streams.open(randomUUID(), 3)];
      const whole = "💾".repeat(MAX_SNAPSHOT_TEXT_CODE_UNITS);
      long.append(whole);
      short.append("short");
      const first = answerSnapshot(sessionId, streams, {});
      expect(first.streams.map(({ event_id, attempt, length }) => [event_id, attempt, length])).to.deep.equal(
        [
          [long.eventId, 1, whole.length],
          [short.eventId, 3, 5],
        ],
      );
      const size = first.streams.reduce((sum, stream) => sum + stream.text.length, 0);
      expect(size).to.be.at.most(MAX_SNAPSHOT_TEXT_CODE_UNITS);
      let read = first.streams[0]?.text ?? "";
      while (read.length < whole.length) {
        const [page] = answerSnapshot(sessionId, streams, {
          event_id: long.eventId,
          offset: read.length,
        }).streams;
        expect(page).to.include({ event_id: long.eventId, offset: read.length, length: whole.length });
        expect(page?.text).to.not.equal("");
        read += page?.text ?? "";
      }
      expect(read === whole).to.equal(true);
    });

    it("returns nothing for an event that is not open", async () => {
      const { streams, sessionId } = await open();
      await using _ = streams;
      expect(answerSnapshot(sessionId, streams, { event_id: randomUUID() }).streams).to.deep.equal([]);
    });
  });
});
