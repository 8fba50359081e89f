import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { publishLiveProgress } from "#shared/bus/publish-message.ts";
import { NotifierFixture } from "./notifier-fixture.ts";
import { TestClient } from "./test-client.ts";
import type { TestSession } from "./test-session.ts";

describe("notifier: the progress of tool calls", () => {
  let fixture: NotifierFixture;

  before(async () => {
    fixture = await NotifierFixture.start();
  });
  after(async () => fixture[Symbol.asyncDispose]());

  const publish = (session: TestSession, progress: number, message = "") =>
    publishLiveProgress(fixture.bus, {
      type: "tool.progress",
      session_id: session.id,
      execution_id: session.executionId,
      event_id: randomUUID(),
      progress,
      message,
      timestamp: new Date().toISOString(),
    });

  it("reaches the watchers of its session alone, in the order of events, and is not repeated", async () => {
    const { url } = await fixture.notifier();
    const [session, other] = [await fixture.newSession(), await fixture.newSession()];
    using client = await TestClient.connect(url);
    using elsewhere = await TestClient.connect(url);
    await client.subscribe(`session:${session.id}`);
    await elsewhere.subscribe(`session:${other.id}`);
    await session.emit(session.status());
    publish(session, 1);
    await session.emit(session.ended());
    await other.emit(other.ended());
    await client.untilSeq(2);
    await elsewhere.untilSeq(1);
    expect(client.messages.slice(2).map(({ type }) => type)).to.deep.equal([
      "session.status",
      "tool.progress",
      "session.completed",
    ]);
    expect(elsewhere.of("tool.progress")).to.deep.equal([]);
    using late = await TestClient.connect(url);
    await late.subscribe(`session:${session.id}`, { after_seq: 0 });
    await late.untilSeq(2);
    expect(late.of("tool.progress")).to.deep.equal([]);
  });

  it("is dropped for a client that reads slowly, which gets every event", async () => {
    const { url } = await fixture.notifier({ chunkBufferBytes: 1, eventBufferBytes: 64 * 1024 * 1024 });
    const session = await fixture.newSession();
    using slow = await TestClient.connect(url);
    using fast = await TestClient.connect(url);
    await slow.subscribe(`session:${session.id}`);
    await fast.subscribe(`session:${session.id}`);
    slow.socket.pause();
    // More than the kernel takes for a client that does not read.
    for (let n = 0; n < 40; n += 1) await session.emit(session.whole("x".repeat(500_000)));
    await fast.untilSeq(40);
    publish(session, 1);
    await session.emit(session.ended());
    await fast.untilSeq(41);
    slow.socket.resume();
    await slow.untilSeq(41);
    expect(slow.of("tool.progress")).to.deep.equal([]);
  });
});
